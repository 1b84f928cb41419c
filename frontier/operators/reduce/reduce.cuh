// CUDA kernels of reduce. Macros: VID, ARG_PARAMS, ARG_NAMES, REDUCE, RESULT.
#pragma once
#include "frontier/cuda/types.cuh"
#include "frontier/cuda/tile.cuh"
#include "frontier/cuda/combine.cuh"

extern "C" __device__ RESULT op(VID v ARG_PARAMS);

// The reduction of the functor's values over a list of vertices (0 .. count-1 without one), combined into *out.
extern "C" __global__ void reduce_vertices(i64 count, const VID* vertices, RESULT identity, RESULT* out ARG_PARAMS) {
  __shared__ RESULT of_warp[32];
  RESULT total = identity;
  GRID_STRIDE(i, count) total = REDUCE()(total, op(vertices ? vertices[i] : VID(i) ARG_NAMES));
  total = Tile<32>().reduce(total, REDUCE());
  int warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  if ((threadIdx.x & 31) == 0) of_warp[warp] = total;
  __syncthreads();
  if (warp != 0) return;
  total = Tile<32>().reduce(int(threadIdx.x) < warps ? of_warp[threadIdx.x] : identity, REDUCE());
  if (threadIdx.x == 0) combine_shared(out, total, REDUCE());
}
