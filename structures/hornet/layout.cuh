// Constants that the kernels of an update share with cpu.py and graph.py, and scans within a thread block.
#pragma once
#include "structures/hornet/view.cuh"

#define INSERT 0
#define DELETE 1
#define TIDY 2

// What becomes of a vertex's block: these, or class << RANK_BITS | rank, the rank-th new block of its class.
#define STAY (-1)
#define DROP (-2)
#define RANK_BITS 40

// Places in the counters.
#define DELTA 0
#define GROUPS 1
#define OTHER 2
#define LARGE 3  // number of large lists << 32 | number of their chunks
#define STAGED 4
#define CLASSES 40
#define REQUESTS 8
#define RETURNED (REQUESTS + CLASSES)
#define FREE (RETURNED + CLASSES)

#define KEYS 512        // of a sorted batch to a thread block
#define CHUNK 1024      // edges of large lists to a thread block
#define LARGE_LIST 256  // lists with more edges to move are large

template <class T>
__device__ T warp_inclusive(T value) {
  int lane = threadIdx.x & 31;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    T other = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset) value += other;
  }
  return value;
}

// Sum of `value` over the threads before this one; `total` becomes the sum over all. All threads of the block call it.
template <class T>
__device__ T block_exclusive(T value, T& total) {
  __shared__ T of_warp[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  T inclusive = warp_inclusive(value);
  __syncthreads();  // of_warp may still be read for the scan before
  if (lane == 31) of_warp[warp] = inclusive;
  __syncthreads();
  if (warp == 0) {
    T sum = warp_inclusive(lane < warps ? of_warp[lane] : T(0));
    __syncwarp();
    of_warp[lane] = sum;
  }
  __syncthreads();
  total = of_warp[warps - 1];
  return inclusive - value + (warp ? of_warp[warp - 1] : T(0));
}

// Where the new blocks of each class begin among all new blocks. All threads of the block call it.
__device__ inline void class_offsets(const i64* counters, i64* offsets) {
  if (threadIdx.x < 32) {
    int k = 2 * threadIdx.x;
    i64 first = k < CLASSES ? counters[REQUESTS + k] : 0, second = k + 1 < CLASSES ? counters[REQUESTS + k + 1] : 0;
    i64 before = warp_inclusive(first + second) - first - second;
    if (k < CLASSES) offsets[k] = before;
    if (k + 1 < CLASSES) offsets[k + 1] = before + first;
  }
  __syncthreads();
}
