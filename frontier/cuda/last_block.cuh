// Which thread block is the last of its grid to reach some place, and so may finish what all of them have begun.
#pragma once
#include "frontier/cuda/types.cuh"

// Whether this block is the last to come here, and so sees what all others wrote; by all threads of all blocks. `done` counts
// them: it is zero before. What others wrote must be read past the first-level cache.
__device__ inline bool is_last_block(u64* done) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1ull) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return last;
}
