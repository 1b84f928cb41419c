// CUDA kernel of compute. Macros: VID, ARG_PARAMS, ARG_NAMES.
#pragma once
#include "frontier/cuda/types.cuh"

extern "C" __device__ void op(VID v ARG_PARAMS);

// The functor, for each vertex of a list.
extern "C" __global__ void apply(i64 count, const VID* vertices ARG_PARAMS) {
  GRID_STRIDE(i, count) op(vertices[i] ARG_NAMES);
}
