// CUDA kernels of CSR. Macros: VID, WEIGHT.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "structures/csr/view.cuh"

// The slot of each arc.
extern "C" __global__ void find_arcs(i64 count, View view, const VID* src, const VID* dst, i64* slots) {
  GRID_STRIDE(i, count) slots[i] = src[i] < 0 ? -1 : view.find(src[i], dst[i]);
}

// The contents of `count` slots without some whose numbers ascend: each remaining one moves up by the number of removed
// ones before it.
extern "C" __global__ void leave_out(
    i64 count, View view, i64 size, const i64* left_out, VID* neighbors, WEIGHT* weights) {
  GRID_STRIDE(slot, count) {
    i64 before = first_place<false>(left_out, size, slot);
    if (before < size && left_out[before] == slot) continue;
    neighbors[slot - before] = view.neighbors[slot];
    if (weights) weights[slot - before] = view.weights[slot];
  }
}

// The new starts of rows.
extern "C" __global__ void move_rows(i64 count, const i64* offsets, i64 size, const i64* left_out, i64* moved) {
  GRID_STRIDE(row, count) moved[row] = offsets[row] - first_place<false>(left_out, size, offsets[row]);
}
