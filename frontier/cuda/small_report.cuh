// The end of a small batch (small_keys.cuh). Macros: VID, WEIGHT, and SMALL, the first of three indices in the
// structure's counters.
#pragma once
#include "frontier/cuda/small_keys.cuh"

#define SMALL_INVALID SMALL         // whether the batch is invalid, and then has no keys
#define SMALL_DECLINED (SMALL + 1)  // whether it is not applied, because memory has to be added first
#define SMALL_EFFECTIVE (SMALL + 2)      // effective edges

// The end of a small batch, by one block of SMALL_THREADS: writes the effective edges, which belong to the arcs for
// which `changes(position, u, v)`, given the position of the last equal key, is true. Publishes the counters to the
// host, and sets them to zero.
template <class Changes>
__device__ void finish(const SmallKeys& sorted, Changes changes) {
  u64* counters = sorted.counters;
  SmallBatch batch = *sorted.batch;
  if (batch.new_src && !counters[SMALL_INVALID] && !counters[SMALL_DECLINED]) {
    i64 effective = batch.write_edges([&](i64, i64 k, VID u, VID v) {
      int end = sorted.ends[k];
      return (end & 1) && changes(i64(end >> 1), u, v);
    });
    if (threadIdx.x == 0) counters[SMALL_EFFECTIVE] = u64(effective);
  }
  __syncthreads();
  for (i64 k = threadIdx.x; k < sorted.num_counters; k += blockDim.x) {
    static_cast<volatile u64*>(sorted.published)[k] = counters[k];
    counters[k] = 0;
  }
}
