// A CUDA kernel that reads degrees from a graph, whatever its structure. Macros: VIEW_HEADER, VID, WEIGHT.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER

// The degrees of some vertices, or of all if `vertices` is null.
extern "C" __global__ void degrees(i64 count, View view, const VID* vertices, i64* out) {
  GRID_STRIDE(i, count) out[i] = view.degree(vertices ? vertices[i] : VID(i));
}
