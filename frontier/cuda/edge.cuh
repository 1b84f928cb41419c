// The values that kernels pass to functors of an arc in addition to its ends: its `edge`, and its weight. Include it
// behind VIEW_HEADER.
//
// In graphs without edge data these are the arc's slot, and the entry of `view.weights` there. With edge data the slot
// has the id of the edge, by which the weight is found. Macros: WEIGHT (the type that the structure stores by slot),
// and with edge data EDGE_WEIGHT (the type of the graph's weights). A slot below 0 has no edge (-1), and no weight.
#pragma once
#include "frontier/cuda/types.cuh"

#ifdef EDGE_WEIGHT

using Weight = EDGE_WEIGHT;

__device__ __forceinline__ i64 edge_of(const View& view, i64 slot) { return slot < 0 ? i64(-1) : i64(view.weights[slot]); }
__device__ __forceinline__ Weight weight_of(const View& view, i64 slot) {
  return view.weights_by_edge ? view.weights_by_edge[view.weights[slot]] : Weight(1);
}

#else

using Weight = WEIGHT;

__device__ __forceinline__ i64 edge_of(const View&, i64 slot) { return slot; }
__device__ __forceinline__ Weight weight_of(const View& view, i64 slot) {
  return view.weights ? view.weights[slot] : Weight(1);
}

#endif
