// Prefix sums within tiles of lanes and within a thread block. Sums over the whole grid are in scan_tiles.cuh.
#pragma once
#include "frontier/cuda/types.cuh"

// Sum of `value` over this lane and those before it, among LANES neighboring ones (`mask`: those lanes of the warp).
template <int LANES = 32, class T>
__device__ __forceinline__ T lanes_inclusive(T value, u32 mask = 0xffffffffu) {
  int lane = threadIdx.x & (LANES - 1);
#pragma unroll
  for (int offset = 1; offset < LANES; offset *= 2) {
    T other = __shfl_up_sync(mask, value, offset, LANES);
    if (lane >= offset) value += other;
  }
  return value;
}

// Sum of `value` over the threads before this one. `total` becomes the sum over all. All threads of the block call it.
template <class T>
__device__ T block_exclusive(T value, T& total) {
  __shared__ T of_warp[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  T inclusive = lanes_inclusive(value);
  __syncthreads();  // of_warp may still be read for the scan before
  if (lane == 31) of_warp[warp] = inclusive;
  __syncthreads();
  if (warp == 0) {
    T sum = lanes_inclusive(lane < warps ? of_warp[lane] : T(0));
    __syncwarp();
    of_warp[lane] = sum;
  }
  __syncthreads();
  total = of_warp[warps - 1];
  return inclusive - value + (warp ? of_warp[warp - 1] : T(0));
}
