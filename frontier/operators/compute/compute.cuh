// CUDA kernel of compute. Macros: VID, ARG_PARAMS, ARG_NAMES, with OF_EDGES also VIEW_HEADER, WEIGHT.
#pragma once
#include "frontier/cuda/members.cuh"

extern "C" __device__ void op(MEMBER ARG_PARAMS);

// The functor, for each member of a frontier.
extern "C" __global__ void apply(i64 count, MEMBERS_PARAMS ARG_PARAMS) {
  TAKE_MEMBERS();
  GRID_STRIDE(i, count) CALL_OP(i);
}
