// Lists in no order: arcs looked up, and new ones written to the end. Macros: VID, WEIGHT. The view has slot_of.
#pragma once
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan_tiles.cuh"

// The slot of an arc, -1 if it is not there.
typedef i64 Slot;
__device__ __forceinline__ i64 slot_in_pool(const View&, i64, Slot slot) { return slot; }

#include "structures/changes/changes.cuh"

#define PENDING 3  // index in the counters, behind the ones of changes.cuh: the number of arcs of long lists

// The slot of each arc of a list of at most `limit` neighbors, and -2 for other lists.
extern "C" __global__ void find_short(
    i64 count, View view, const VID* src, const VID* dst, i64 limit, i64* slots, u64* counters) {
  GRID_STRIDE(i, count) {
    VID u = src[i];
    i64 slot = u < 0 ? -1 : view.degree(u) > limit ? -2 : view.find(u, dst[i]);
    slots[i] = slot;
    if (slot == -2) atomicAdd(counters + PENDING, u64(1));
  }
}

// The arcs that find_short has left, in any order. Their number in the counters is consumed.
extern "C" __global__ void list_long(
    i64 count, const VID* src, const VID* dst, const i64* slots, u64* counters, VID* long_src, VID* long_dst) {
  GRID_STRIDE(i, count) {
    if (slots[i] != -2) continue;
    u64 at = atomicAdd(counters + PENDING, ~u64(0)) - 1;
    long_src[at] = src[i];
    long_dst[at] = dst[i];
  }
}

// Gives these arcs the slots that were found for their sorted keys: of equal ones, for the last.
extern "C" __global__ void take_found(
    i64 count, const VID* src, const VID* dst, i64 shift, i64 size, const i64* keys, const i64* found, i64* slots) {
  GRID_STRIDE(i, count) {
    if (slots[i] == -2) slots[i] = found[first_place<true>(keys, size, i64(src[i]) << shift | dst[i]) - 1];
  }
}

// Counts the changes of sorted keys whose slots are known.
extern "C" __global__ void __launch_bounds__(TILE) count_changes(
    i64 count, const i64* keys, i64 bits, i64 shift, const Slot* slots, bool present, u64* sums, u64* counters) {
  SortedKeys sorted{count, keys, bits, shift};
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    bool arc = sorted.is_last(i);
    count_tile(sorted, tile, arc, arc && slots[i] >= 0, present, sums, counters);
  }
}

// Writes new arcs to the end of their lists, which have their new degrees. The counters contain their number. If they
// are null, all `count` arcs are new.
extern "C" __global__ void append(
    i64 count, View view, const VID* group_vertex, const i64* group_start, const int* change_group,
    const VID* change_dst, const WEIGHT* change_weights, const u64* counters) {
  if (counters) count = at_most(count, counters[CHANGES]);
  GRID_STRIDE(i, count) {
    i64 group = change_group[i];
    VID v = group_vertex ? group_vertex[group] : VID(group);
    i64 slot = view.slot_of(v, view.degree(v) - (group_start[group + 1] - i));
    view.neighbors[slot] = change_dst[i];
    if (view.weights) view.weights[slot] = change_weights[i];
  }
}
