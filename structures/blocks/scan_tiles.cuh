// Sums over tiles of TILE items, a thread block to each tile: kernels that count leave a sum for each tile; kernels that
// follow add up those before theirs.
#pragma once
#include "frontier/cuda/scan.cuh"

#define TILE 512  // updates.py has the same number

// Places in the counters (updates.py has the same).
#define CHANGES 0
#define GROUPS 1
#define OTHERS 2
#define PENDING 3

// The sum over all tiles before this one. `summed`: sums are running already. All threads of the block call it.
template <class T>
__device__ T sum_before(const T* sums, bool summed, i64 tile) {
  if (summed) return tile ? sums[tile - 1] : T(0);
  T part = 0, before;
  for (i64 t = threadIdx.x; t < tile; t += blockDim.x) part += sums[t];
  block_exclusive(part, before);
  return before;
}

// Adds sums up in place. One thread block, whose threads take consecutive sums each.
extern "C" __global__ void __launch_bounds__(1024) add_up(i64 count, i64* sums) {
  i64 each = (count + blockDim.x - 1) / blockDim.x, low = threadIdx.x * each, high = low + each < count ? low + each : count;
  i64 part = 0, total;
  for (i64 t = low; t < high; ++t) part += sums[t];
  i64 running = block_exclusive(part, total);
  for (i64 t = low; t < high; ++t) sums[t] = running += sums[t];
}

// for (tile = this thread block; there are tiles of count; tile += all thread blocks)
#define TILES(tile, count) for (i64 tile = blockIdx.x; tile * TILE < (count); tile += gridDim.x)
