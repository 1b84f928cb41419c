// CUDA kernels of neighbor_reduce. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, TILE_SIZE, BALANCE, REDUCE,
// RESULT, VALUE (the functor's result). HAS_COMBINE, if REDUCE is Combine, a custom function. BEST, to find the
// neighbor with the best value.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/combine.cuh"
#include "frontier/cuda/expand.cuh"

extern "C" __device__ VALUE op(VID src, VID dst, i64 edge, Weight weight ARG_PARAMS);

#ifdef HAS_COMBINE
extern "C" __device__ RESULT combine(RESULT a, RESULT b);

struct Combine {
  __device__ RESULT operator()(RESULT a, RESULT b) const { return combine(a, b); }
};
#endif

#define VALUE_OF(u, v, slot) op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES)

// The reduced values: the functor's, or, if BEST is <= or >=, the ids of the neighbors whose value is the best of u.
#ifdef BEST
#define BEST_PARAM , const VALUE* best
#define EDGE_VALUE [&](VID v, i64 slot) { return VALUE_OF(u, v, slot) BEST best[u] ? RESULT(v) : identity; }
#else
#define BEST_PARAM
#define EDGE_VALUE [&](VID v, i64 slot) { return RESULT(VALUE_OF(u, v, slot)); }
#endif

// A lane's part of the values of one segment, combined with `total`.
template <class Value>
__device__ __forceinline__ RESULT reduce_segment(const View& view, const ExpandTile& tile, VID v, i64 segment,
                                                 RESULT total, Value value) {
  Run run = view.segment(v, segment);
  do {
    for (i64 base = run.low; base < run.high; base += 4 * TILE_SIZE) {
      VID neighbor[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {  // all loads first: they overlap
        i64 slot = base + k * TILE_SIZE + tile.lane;
        neighbor[k] = slot < run.high ? view.neighbors[slot] : VID(EMPTY);
      }
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (neighbor[k] >= 0) total = REDUCE()(total, value(neighbor[k], base + k * TILE_SIZE + tile.lane));
    }
    run = view.next_run(run);
  } while (run.handle >= 0);
  return total;
}

#if BALANCE == BY_MERGE
extern "C" __global__ void measure(i64 count, View view, const VID* vertices, i64* ends ARG_PARAMS) {
  measure_items(view, count, [&](i64 i) { return vertices[i]; }, ends);
}
#endif

// A tile's share of u's edges. The result of a partial share is combined with the results of the other shares.
#define REDUCE_SHARE                                                                                         \
  auto work = [&](const ExpandTile& tile, i64, VID u, i64 first, i64 end, i64 step, bool whole) {            \
    RESULT total = identity;                                                                                 \
    for (i64 s = first; s < end; s += step) total = reduce_segment(view, tile, u, s, total, EDGE_VALUE);     \
    total = tile.reduce(total, REDUCE());                                                                    \
    if (tile.lane == 0) {                                                                                    \
      if (whole) out[u] = total; else combine_shared(out + u, total, REDUCE());                              \
    }                                                                                                        \
  }

// For each vertex of a list, the reduction over its edges. Before, `out` contains the identity there.
extern "C" __global__ void __launch_bounds__(BLOCK) reduce(
    i64 count, int items, View view, const VID* vertices, RESULT identity, RESULT* out BEST_PARAM, PLAN_PARAMS ARG_PARAMS) {
  REDUCE_SHARE;
  share_out(view, count, items, [&](i64 i) { return vertices[i]; }, PLAN, work, [] {});
}

#if BALANCE == BY_TILE

// The pieces of vertices with very many neighbors that reduce deferred.
extern "C" __global__ void __launch_bounds__(BLOCK) reduce_pieces(
    i64 count, View view, const VID* vertices, RESULT identity, RESULT* out BEST_PARAM, PLAN_PARAMS ARG_PARAMS) {
  REDUCE_SHARE;
  share_out_queue(view, [&](i64 i) { return vertices[i]; }, PLAN, work, [] {});
}

#endif
