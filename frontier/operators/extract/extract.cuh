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

// Each tile reserves a range for its chosen arcs at once. Without `dst` they are only counted.
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

// The chosen arcs of each vertex of a list, from cursors[i] on, which moves past them. `items` vertices to a block.
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

// Writes the neighbors that a tile meets, in the order in which it meets them, from `at` on.
#define WRITE_IN_ORDER(at)                                                  \
  [&](i64, VID, VID v, i64 slot, bool valid) {                              \
    u32 members = tile.ballot(valid);                                       \
    i64 place = at + __popc(members & ((1u << tile.lane) - 1));             \
    if (valid) {                                                            \
      dst[place] = v;                                                       \
      if (weights) weights[place] = view.weights[slot];                     \
    }                                                                       \
    at += __popc(members);                                                  \
  }

// The neighbors of each vertex of a list (null for all) as they are stored, from offsets[i] on. Lists of more than
// `limit` are left out. Launched with tile=TILE_SIZE.
extern "C" __global__ void __launch_bounds__(BLOCK) extract_in_order(
    i64 count, View view, const VID* vertices, const i64* offsets, VID* dst, WEIGHT* weights, i64 limit) {
  ExpandTile tile;
  i64 tiles = i64(gridDim.x) * blockDim.x / TILE_SIZE;
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / TILE_SIZE; i < count; i += tiles) {
    i64 at = offsets[i];
    if (offsets[i + 1] - at > limit) continue;
    VID u = vertices ? vertices[i] : VID(i);
    auto write = WRITE_IN_ORDER(at);
    i64 segments = view.segments(u);
    for (i64 s = 0; s < segments; ++s) walk(view, tile, i, u, s, write);
  }
}

// The neighbors for the `count` positions in `chosen`, by a thread block each: its tiles first count the neighbors in
// their segments.
extern "C" __global__ void __launch_bounds__(BLOCK) extract_long_in_order(
    i64 count, View view, const VID* vertices, const i64* offsets, VID* dst, WEIGHT* weights, const i64* chosen) {
  ExpandTile tile;
  for (i64 k = blockIdx.x; k < count; k += gridDim.x) {
    i64 i = chosen[k], from = offsets[i];
    VID u = vertices ? vertices[i] : VID(i);
    i64 segments = view.segments(u);
    for (i64 base = 0; base < segments; base += BLOCK / TILE_SIZE) {
      i64 s = base + threadIdx.x / TILE_SIZE;
      u32 held = 0, total;
      auto count_each = [&](i64, VID, VID, i64, bool valid) { held += __popc(tile.ballot(valid)); };
      if (s < segments) walk(view, tile, i, u, s, count_each);
      u32 before = block_exclusive(tile.lane == 0 ? held : 0u, total);
      i64 at = from + tile.shfl(before, 0);
      auto write = WRITE_IN_ORDER(at);
      if (s < segments) walk(view, tile, i, u, s, write);
      from += total;
    }
  }
}
