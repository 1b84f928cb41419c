// A barrier for all blocks of a grid-cooperative launch.
#pragma once
#include "frontier/cuda/types.cuh"

// Waits until all blocks of the grid, which are all resident, have arrived. Their earlier writes are visible
// afterwards. `arrived` was zero before the first barrier. `target` counts up by the number of blocks.
__device__ __forceinline__ void grid_barrier(u32* arrived, u32& target) {
  target += gridDim.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (int(*(volatile u32*)arrived - target) < 0) {}  // the counts may wrap around
    __threadfence();
  }
  __syncthreads();
}
