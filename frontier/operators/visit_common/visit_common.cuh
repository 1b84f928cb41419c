// CUDA kernel of visit_common. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, LANES, and those of the functors.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/common_functors.cuh"

// LANES threads share the listed neighbors of each pair, and look them up at its other end.
extern "C" __global__ void visit_common(
    i64 count, View view, const VID* known, const VID* listed, const u8* swapped, const i64* rows, const i64* offsets,
    const VID* neighbors, i64 first_edge, u64* counts ARG_PARAMS) {
  GRID_STRIDE(t, count * LANES) {
    i64 i = t / LANES;
    VID u = known[i];
#ifdef HAS_OP
    VID v = listed[i];
    bool swap = swapped[i];
#endif
    u64 found = 0;  // common neighbors, or what op has returned
    i64 end = offsets[rows[i] + 1];
    for (i64 k = offsets[rows[i]] + t % LANES; k < end; k += LANES) {
      VID w = neighbors[k];
      if (w == u) continue;
      i64 slot = view.find(u, w);
      if (slot < 0) continue;
#ifdef HAS_OP
      i64 edge = edge_of(view, slot);
#ifdef PER_PAIR
      found +=
#endif
          swap ? op(NUMBER u, v, w, edge, first_edge + k ARG_NAMES) : op(NUMBER v, u, w, first_edge + k, edge ARG_NAMES);
#else
      ++found;
#endif
    }
#ifdef PER_PAIR
    if (found) per_pair(swap ? u : v, swap ? v : u, i64(found) ARG_NAMES);
#elif !defined(HAS_OP)
    if (found) atomicAdd(counts + i, found);
#endif
  }
}
