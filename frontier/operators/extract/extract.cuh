// CUDA kernels of extract. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, TILE_SIZE, HAS_OP.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/expand.cuh"

#ifdef HAS_OP
extern "C" __device__ int op(VID src, VID dst, i64 edge, Weight weight ARG_PARAMS);
#define CHOSEN(u, v, slot) op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES)
#else
#define CHOSEN(u, v, slot) true
#endif

// Each tile takes room for its chosen arcs at once. Without `dst` they are only counted.
#define EXTRACT_BODY                                                                \
  ExpandTile tile;                                                                  \
  auto body = [&](i64 i, VID u, VID v, i64 slot, bool valid) {                      \
    bool chosen = valid && CHOSEN(u, v, slot);                                      \
    u32 members = tile.ballot(chosen);                                              \
    if (!members) return;                                                           \
    u64 start = 0;                                                                  \
    if (tile.lane == 0) start = atomicAdd(cursors + i, u64(__popc(members)));       \
    start = tile.shfl(start, 0) + __popc(members & ((1u << tile.lane) - 1));        \
    if (chosen && dst) {                                                            \
      dst[start] = relabel ? relabel[v] : v;                                        \
      if (slots) slots[start] = slot;                                               \
    }                                                                               \
  }

// The chosen arcs of each vertex of a list, from cursors[i] on, which moves past them; `items` vertices to a block.
extern "C" __global__ void __launch_bounds__(BLOCK) extract(
    i64 count, int items, View view, const VID* vertices, u64* cursors, VID* dst, i64* slots,
    const VID* relabel, u64* pieces, u32* num_pieces, u32 max_pieces ARG_PARAMS) {
  EXTRACT_BODY;
  expand(view, count, items, [&](i64 i) { return vertices[i]; }, PieceQueue{pieces, num_pieces, max_pieces}, body, [] {});
}

// The pieces of vertices with very many neighbors that extract deferred.
extern "C" __global__ void __launch_bounds__(BLOCK) extract_pieces(
    i64 count, View view, const VID* vertices, u64* cursors, VID* dst, i64* slots, const VID* relabel,
    u64* pieces, u32* num_pieces, u32 max_pieces ARG_PARAMS) {
  if (*num_pieces == 0) return;
  EXTRACT_BODY;
  expand_queue(view, [&](i64 i) { return vertices[i]; }, PieceQueue{pieces, num_pieces, max_pieces}, body, [] {});
}
