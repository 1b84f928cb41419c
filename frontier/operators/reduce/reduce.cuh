// CUDA kernels of reduce. Macros: VID, ARG_PARAMS, ARG_NAMES, REDUCE, RESULT; with OF_EDGES also VIEW_HEADER, WEIGHT.
#pragma once
#include "frontier/cuda/members.cuh"
#include "frontier/cuda/tile.cuh"
#include "frontier/cuda/combine.cuh"

extern "C" __device__ RESULT op(MEMBER ARG_PARAMS);

// The reduction of the functor's values over the members of a frontier, combined into *out.
extern "C" __global__ void reduce_members(i64 count, MEMBERS_PARAMS, RESULT identity, RESULT* out ARG_PARAMS) {
  __shared__ RESULT of_warp[32];
  RESULT total = identity;
  GRID_STRIDE(i, count) total = REDUCE()(total, CALL_OP(i));
  total = Tile<32>().reduce(total, REDUCE());
  int warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  if ((threadIdx.x & 31) == 0) of_warp[warp] = total;
  __syncthreads();
  if (warp != 0) return;
  total = Tile<32>().reduce(int(threadIdx.x) < warps ? of_warp[threadIdx.x] : identity, REDUCE());
  if (threadIdx.x == 0) combine_shared(out, total, REDUCE());
}
