// CUDA kernels of Hornet, in the order in which an update runs them. Macros: VID, WEIGHT.
#pragma once
#include "structures/hornet/locate.cuh"
#include "structures/hornet/plan.cuh"
#include "structures/hornet/blocks.cuh"
#include "structures/hornet/move.cuh"
#include "structures/hornet/small.cuh"

// The slot of each arc.
extern "C" __global__ void find_arcs(i64 count, View view, const VID* src, const VID* dst, i64* slots) {
  GRID_STRIDE(i, count) slots[i] = src[i] < 0 ? -1 : view.find(src[i], dst[i]);
}
