// CUDA kernels of reduce. Macros: VID, ARG_PARAMS, ARG_NAMES, REDUCE, RESULT, with OF_EDGES also VIEW_HEADER, WEIGHT,
// with several results COLUMNS, their number.
#pragma once
#include "frontier/cuda/members.cuh"
#include "frontier/cuda/tile.cuh"
#include "frontier/cuda/combine.cuh"

#ifdef COLUMNS
extern "C" __device__ RESULT op(MEMBER, i64 column ARG_PARAMS);
#define CALL_COLUMN(i, column) op(MEMBER_VALUES(i), i64(column) ARG_NAMES)
#else
#define COLUMNS 1
extern "C" __device__ RESULT op(MEMBER ARG_PARAMS);
#define CALL_COLUMN(i, column) CALL_OP(i)
#endif

// The reductions of the functor's values over the members of a frontier, combined into `out`, one for each column.
extern "C" __global__ void reduce_members(i64 count, MEMBERS_PARAMS, RESULT identity, RESULT* out ARG_PARAMS) {
  TAKE_MEMBERS();
  __shared__ RESULT of_warp[COLUMNS][32];
  RESULT total[COLUMNS];
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) total[c] = identity;
  GRID_STRIDE(i, count) {
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) total[c] = REDUCE()(total[c], CALL_COLUMN(i, c));
  }
  int warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    total[c] = Tile<32>().reduce(total[c], REDUCE());
    if ((threadIdx.x & 31) == 0) of_warp[c][warp] = total[c];
  }
  __syncthreads();
  if (warp != 0) return;
  for (int c = 0; c < COLUMNS; ++c) {
    RESULT all = Tile<32>().reduce(int(threadIdx.x) < warps ? of_warp[c][threadIdx.x] : identity, REDUCE());
    if (threadIdx.x == 0) combine_shared(out + c, all, REDUCE());
  }
}
