// The detection of the last thread block of a grid to reach some point, which may finish the work that all of them have
// started.
#pragma once
#include "frontier/cuda/types.cuh"

// Whether this block is the last to arrive, and so sees the writes of all blocks. By all threads of all blocks. `done`
// counts them: it is zero before. The writes of other blocks must be read past the first-level cache.
__device__ inline bool is_last_block(u64* done) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1ull) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return last;
}
