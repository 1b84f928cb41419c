// CUDA kernels of intersect and common_neighbors. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, TILE_SIZE,
// HAS_MEMBERS. HAS_OP, with NUMBERED if op has a parameter for the number of the pair, and PER_PAIR if its results are
// summed up for a second functor. SCANS, for structures without a fast look-up.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#ifdef SCANS
#include "frontier/cuda/intersect_lists.cuh"
#else
#include "frontier/cuda/look_ups.cuh"
#include "frontier/operators/dispatch/pair_order.cuh"
#endif
#include "frontier/cuda/common_functors.cuh"

// The handling of a lane's match, and, once a tile has finished a share of a pair, of the sum of its lanes.
#ifdef PER_PAIR
#define FOUND                                                                                  \
  i64 sum = 0;                                                                                 \
  auto found = [&](i64 i, VID u, VID v, VID w, i64 slot_uw, i64 slot_vw) {                     \
    sum += op(NUMBER u, v, w, edge_of(view, slot_uw), edge_of(view, slot_vw) ARG_NAMES);       \
  };                                                                                           \
  auto through = [&](const ExpandTile& tile, i64, VID u, VID v) {                              \
    sum = tile.reduce(sum, Sum());                                                             \
    if (tile.lane == 0 && sum) per_pair(u, v, sum ARG_NAMES);                                  \
    sum = 0;                                                                                   \
  }
#elif defined(HAS_OP)
#define FOUND                                                                                  \
  auto found = [&](i64 i, VID u, VID v, VID w, i64 slot_uw, i64 slot_vw) {                     \
    op(NUMBER u, v, w, edge_of(view, slot_uw), edge_of(view, slot_vw) ARG_NAMES);              \
  };                                                                                           \
  auto through = [](const ExpandTile&, i64, VID, VID) {}
#elif defined(HAS_MEMBERS)
// counts[i] is where the next common neighbor of pair i goes.
#define MEMBERS_PARAM , VID* members
#define FOUND                                                                                  \
  auto found = [&](i64 i, VID, VID, VID w, i64, i64) { members[atomicAdd(counts + i, 1ull)] = w; }; \
  auto through = [](const ExpandTile&, i64, VID, VID) {}
#else
#define FOUND                                                                                  \
  u32 number = 0;                                                                              \
  auto found = [&](i64, VID, VID, VID, i64, i64) { ++number; };                                \
  auto through = [&](const ExpandTile& tile, i64 i, VID, VID) {                                \
    number = tile.reduce(number, Sum());                                                       \
    if (tile.lane == 0 && number) atomicAdd(counts + i, u64(number));                          \
    number = 0;                                                                                \
  }
#endif
#ifndef MEMBERS_PARAM
#define MEMBERS_PARAM
#endif

#ifndef SCANS
// For pair j, the list of the end with fewer neighbors is traversed, and its members are looked up at the end with
// more. It is pair order[j] of the given pairs.
#define LOOK_UPS                                                                               \
  auto work = [&](const ExpandTile& tile, i64 j, VID few, i64 first, i64 end, i64 step, bool) { \
    i64 i = order ? i64(order[j]) : j;                                                         \
    VID u = first_end(us[j]), v = vs[j];                                                       \
    bool swapped = few != u;                                                                   \
    auto found_one = [&](VID w, i64 slot, i64 other) {                                         \
      found(i, u, v, w, swapped ? other : slot, swapped ? slot : other);                       \
    };                                                                                         \
    look_up_neighbors(view, tile, few, swapped ? u : v, first, end, step, found_one);          \
    through(tile, i, u, v);                                                                    \
  }
#endif

// The common neighbors of each pair (us[i], vs[i]), `items` pairs to a block at a time. Pairs with a negative us[i] are
// skipped. `order`: see pair_order.cuh. Null if pairs are in the given order.
extern "C" __global__ void __launch_bounds__(BLOCK) intersect(
    i64 count, int items, View view, const VID* us, const VID* vs, const u32* order, u64* counts MEMBERS_PARAM, u64* pieces,
    u32* num_pieces, u32 max_pieces ARG_PARAMS) {
  FOUND;
  PieceQueue queue{pieces, num_pieces, max_pieces};
#ifdef SCANS
  intersect_pairs(view, count, items, us, vs, queue, found, through);
#else
  LOOK_UPS;
  auto fewer = [&](i64 j) { return us[j] < 0 ? us[j] : fewer_of(view, us[j], vs[j]); };
  share_out(view, count, items, fewer, queue, work, [] {});
#endif
}

// The pieces of pairs with very many neighbors that intersect deferred.
extern "C" __global__ void __launch_bounds__(BLOCK) intersect_pieces(
    i64 count, View view, const VID* us, const VID* vs, const u32* order, u64* counts MEMBERS_PARAM, u64* pieces,
    u32* num_pieces, u32 max_pieces ARG_PARAMS) {
  if (*num_pieces == 0) return;
  FOUND;
  PieceQueue queue{pieces, num_pieces, max_pieces};
#ifdef SCANS
  intersect_queue(view, us, vs, queue, found, through);
#else
  LOOK_UPS;
  auto fewer = [&](i64 j) { return fewer_of(view, first_end(us[j]), vs[j]); };
  take_from_queue(view, fewer, queue, num_pieces + 1, work);
#endif
}
