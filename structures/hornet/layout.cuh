// Constants that the kernels of an update share with cpu.py and on_gpu.py.
#pragma once
#include "frontier/cuda/scan.cuh"
#include "structures/hornet/view.cuh"

#define INSERT 0
#define DELETE 1
#define TIDY 2

// The move of a vertex's block: one of these, or class << RANK_BITS | rank, the rank-th new block of its class.
#define STAY (-1)
#define DROP (-2)
#define RANK_BITS 40

// Indices in the counters, behind the ones of changes.cuh.
#define LARGE 3  // number of large lists << 32 | number of their chunks
#define STAGED 4
#define CLASSES 40
#define REQUESTS 8
#define RETURNED (REQUESTS + CLASSES)
#define FREE (RETURNED + CLASSES)

#define CHUNK 1024      // edges of large lists to a thread block
#define LARGE_LIST 256  // lists with more edges to move are large

// The offset of each class among all new blocks. All threads of the block call it.
__device__ inline void class_offsets(const i64* counters, i64* offsets) {
  if (threadIdx.x < 32) {
    int k = 2 * threadIdx.x;
    i64 first = k < CLASSES ? counters[REQUESTS + k] : 0, second = k + 1 < CLASSES ? counters[REQUESTS + k + 1] : 0;
    i64 before = lanes_inclusive(first + second) - first - second;
    if (k < CLASSES) offsets[k] = before;
    if (k + 1 < CLASSES) offsets[k + 1] = before + first;
  }
  __syncthreads();
}
