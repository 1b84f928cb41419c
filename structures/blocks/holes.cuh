// Deletion from lists without gaps. If a list of n neighbors loses d, the holes below position n - d are filled with
// the neighbors that stay among the last d. The deletions of a list are as many as its last positions, so change i
// represents both: the slot to empty, and one of the last positions. In each list the holes are as many as the
// survivors. So the k-th hole of the whole batch and the k-th survivor belong to the same list, and only sums over the
// batch are needed. The counters contain the number of deletions, at most `count`. Macros: VID, WEIGHT. The view has
// slot_of.
#pragma once
#include "structures/changes/changes.cuh"

extern "C" __global__ void mark(i64 count, View view, const i64* change_slots, const u64* counters) {
  count = at_most(count, counters[CHANGES]);
  GRID_STRIDE(i, count) view.neighbors[change_slots[i]] = VID(TOMBSTONE);
}

// tails: the slot of each of the last positions whose neighbor stays, else -1. Tombstones in these positions are no
// holes, and become EMPTY. sums: survivors of each tile.
extern "C" __global__ void __launch_bounds__(TILE) find_survivors(
    i64 count, View view, const VID* group_vertex, const i64* group_start, const int* change_group, i64* tails,
    i64* sums, const u64* counters) {
  count = at_most(count, counters[CHANGES]);
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, slot = -1;
    if (i < count) {
      i64 group = change_group[i];
      VID v = group_vertex[group];
      slot = view.slot_of(v, view.degree(v) - (group_start[group + 1] - i));
      if (view.neighbors[slot] == VID(TOMBSTONE)) {
        view.neighbors[slot] = VID(EMPTY);
        slot = -1;
      }
      tails[i] = slot;
    }
    i64 survivors = __syncthreads_count(slot >= 0);
    if (threadIdx.x == 0) sums[tile] = survivors;
  }
}

// movers: the survivors' slots without gaps. hole_sums: holes of each tile.
extern "C" __global__ void __launch_bounds__(TILE) find_holes(
    i64 count, View view, const i64* change_slots, const i64* tails, const i64* sums, bool summed, i64* movers,
    i64* hole_sums, const u64* counters) {
  count = at_most(count, counters[CHANGES]);
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), total;
    i64 i = tile * TILE + threadIdx.x;
    i64 tail = i < count ? tails[i] : -1;
    i64 place = before + block_exclusive(i64(tail >= 0), total);
    if (tail >= 0) movers[place] = tail;
    i64 holes = __syncthreads_count(i < count && view.neighbors[change_slots[i]] == VID(TOMBSTONE));
    if (threadIdx.x == 0) hole_sums[tile] = holes;
  }
}

extern "C" __global__ void __launch_bounds__(TILE) fill_holes(
    i64 count, View view, const i64* change_slots, const i64* hole_sums, bool summed, const i64* movers,
    const u64* counters) {
  count = at_most(count, counters[CHANGES]);
  TILES(tile, count) {
    i64 before = sum_before(hole_sums, summed, tile), total;
    i64 i = tile * TILE + threadIdx.x;
    i64 slot = i < count ? change_slots[i] : -1;
    bool hole = slot >= 0 && view.neighbors[slot] == VID(TOMBSTONE);
    i64 place = before + block_exclusive(i64(hole), total);
    if (hole) {
      i64 from = movers[place];
      view.neighbors[slot] = view.neighbors[from];
      if (view.weights) view.weights[slot] = view.weights[from];
    }
  }
}
