// CUDA kernels of intersect and common_neighbors. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, TILE_SIZE,
// HAS_OP, with NUMBERED if it takes the number of the pair and PER_PAIR if what it returns is summed up for another;
// HAS_MEMBERS; SCANS, for structures without a fast look-up.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#ifdef SCANS
#include "frontier/cuda/intersect_lists.cuh"
#else
#include "frontier/cuda/expand.cuh"
#endif

#include "frontier/cuda/common_functors.cuh"

// For pair i, the end with fewer neighbors is walked, and its neighbors are looked up at the other. A negative us[i] has
// none.
#define INTERSECT_BODY                                                                     \
  auto fewer = [&](i64 i) {                                                                \
    return us[i] >= 0 && view.degree(us[i]) > view.degree(vs[i]) ? vs[i] : us[i];          \
  };                                                                                       \
  auto body = [&](i64 i, VID few, VID w, i64 slot, bool valid) {                             \
    VID u = us[i], v = vs[i];                                                              \
    VID many = few == u ? v : u;                                                           \
    i64 other = valid && w != many ? view.find(many, w) : -1;                              \
    found_common(i, u, v, w, few == u ? slot : other, few == u ? other : slot, other >= 0); \
  }

#ifdef PER_PAIR
#define FOUND_COMMON                                                                                  \
  ExpandTile tile;                                                                                    \
  auto found_common = [&](i64 i, VID u, VID v, VID w, i64 slot_uw, i64 slot_vw, bool common) {       \
    if (!tile.ballot(common)) return;                                                                 \
    i64 value = 0;                                                                                    \
    if (common) value = op(NUMBER u, v, w, edge_of(view, slot_uw), edge_of(view, slot_vw) ARG_NAMES); \
    value = tile.reduce(value, Sum());                                                                \
    if (tile.lane == 0 && value) per_pair(u, v, value ARG_NAMES);                                     \
  }
#elif defined(HAS_OP)
#define FOUND_COMMON                                                                            \
  auto found_common = [&](i64 i, VID u, VID v, VID w, i64 slot_uw, i64 slot_vw, bool common) { \
    if (common) op(NUMBER u, v, w, edge_of(view, slot_uw), edge_of(view, slot_vw) ARG_NAMES);   \
  }
#elif defined(HAS_MEMBERS)
// counts[i] is where the next common neighbor of pair i goes.
#define MEMBERS_PARAM , VID* members
#define FOUND_COMMON                                                                              \
  ExpandTile tile;                                                                                \
  auto found_common = [&](i64 i, VID, VID, VID w, i64, i64, bool common) {                        \
    u32 found = tile.ballot(common);                                                              \
    if (!found) return;                                                                           \
    u64 start = 0;                                                                                \
    if (tile.lane == 0) start = atomicAdd(counts + i, u64(__popc(found)));                        \
    start = tile.shfl(start, 0);                                                                  \
    if (common) members[start + __popc(found & ((1u << tile.lane) - 1))] = w;                     \
  }
#else
#define FOUND_COMMON                                                           \
  ExpandTile tile;                                                             \
  auto found_common = [&](i64 i, VID, VID, VID, i64, i64, bool common) {       \
    u32 members = tile.ballot(common);                                         \
    if (tile.lane == 0 && members) atomicAdd(counts + i, u64(__popc(members))); \
  }
#endif
#ifndef MEMBERS_PARAM
#define MEMBERS_PARAM
#endif

// The common neighbors of each pair (us[i], vs[i]); `items` pairs to a block at a time.
extern "C" __global__ void __launch_bounds__(BLOCK) intersect(
    i64 count, int items, View view, const VID* us, const VID* vs, u64* counts MEMBERS_PARAM, u64* pieces,
    u32* num_pieces, u32 max_pieces ARG_PARAMS) {
  FOUND_COMMON;
  PieceQueue queue{pieces, num_pieces, max_pieces};
#ifdef SCANS
  intersect_pairs(view, count, items, us, vs, queue, found_common);
#else
  INTERSECT_BODY;
  expand(view, count, items, fewer, queue, body, [] {});
#endif
}

// The pieces of pairs with very many neighbors that intersect deferred.
extern "C" __global__ void __launch_bounds__(BLOCK) intersect_pieces(
    i64 count, View view, const VID* us, const VID* vs, u64* counts MEMBERS_PARAM, u64* pieces, u32* num_pieces,
    u32 max_pieces ARG_PARAMS) {
  if (*num_pieces == 0) return;
  FOUND_COMMON;
  PieceQueue queue{pieces, num_pieces, max_pieces};
#ifdef SCANS
  intersect_queue(view, us, vs, queue, found_common);
#else
  INTERSECT_BODY;
  expand_queue(view, fewer, queue, body, [] {});
#endif
}
