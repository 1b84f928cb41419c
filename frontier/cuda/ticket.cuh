// A counter from which many threads of a warp draw numbers at the same time.
#pragma once
#include "frontier/cuda/types.cuh"

// Adds one to a counter for each calling thread, with one atomic for the threads of a warp that call together.
__device__ inline i64 ticket(u64* counter) {
  u32 together = __activemask();
  int lane = threadIdx.x & 31, leader = __ffs(int(together)) - 1;
  u64 first = 0;
  if (lane == leader) first = atomicAdd(counter, u64(__popc(together)));
  first = __shfl_sync(together, first, leader);
  return i64(first) + __popc(together & ((1u << lane) - 1));
}
