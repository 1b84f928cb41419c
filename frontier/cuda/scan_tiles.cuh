// Sums over the whole grid, in tiles of TILE items with a thread block each. Kernels that count write a sum for each
// tile. Kernels that follow add up the sums of the tiles before theirs.
#pragma once
#include "frontier/cuda/scan.cuh"

#define TILE 512  // frontier/core/sort/tiles.py has the same number

// for (tile = this thread block; tile < tiles of count; tile += all thread blocks)
#define TILES(tile, count) for (i64 tile = blockIdx.x; tile * TILE < (count); tile += gridDim.x)

// The sum over the tiles low .. high - 1. All threads of the block call it.
template <class T>
__device__ T sum_over(const T* sums, i64 low, i64 high) {
  T part = 0, total;
  for (i64 t = low + threadIdx.x; t < high; t += blockDim.x) part += sums[t];
  block_exclusive(part, total);
  return total;
}

// The sum over all tiles before this one. `summed`: sums are running already. All threads of the block call it.
template <class T>
__device__ T sum_before(const T* sums, bool summed, i64 tile) {
  return summed ? (tile ? sums[tile - 1] : T(0)) : sum_over(sums, 0, tile);
}

// Adds sums up in place. One thread block, whose threads process consecutive sums each.
extern "C" __global__ void __launch_bounds__(1024) add_up(i64 count, i64* sums) {
  i64 each = (count + blockDim.x - 1) / blockDim.x, low = threadIdx.x * each, high = low + each < count ? low + each : count;
  i64 part = 0, total;
  for (i64 t = low; t < high; ++t) part += sums[t];
  i64 running = block_exclusive(part, total);
  for (i64 t = low; t < high; ++t) sums[t] = running += sums[t];
}
