// From a batch's sorted keys, and the look-up result of each, to the changes that it makes, grouped by source. Include
// it behind the structure's view, which comes with
//
//   Slot                                          // look-up result: negative for absent arcs, and all but the last of equals
//   i64 slot_in_pool(const View&, i64 v, Slot)    // the slot of an existing arc of v
//
// Macros: VID, WEIGHT.
#pragma once
#define SMALL 5  // the first index in the counters of chains' reports (CHAIN of cpu.py)
#include "frontier/cuda/keys.cuh"
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/cuda/small_report.cuh"

// Indices of the counters (cpu.py has the same).
#define CHANGES 0  // keys that change the graph
#define GROUPS 1   // distinct sources
#define OTHERS 2   // distinct keys that change nothing

// The minimum of a number of work items and a counter.
__device__ __forceinline__ i64 at_most(i64 count, u64 counter) { return i64(counter) < count ? i64(counter) : count; }

// Sums of changes (low half) and groups (high half) of a tile of keys. Changes are arcs that are in the graph, if
// `present`, or arcs that are not. `arc`: this thread's key counts. `found`: its arc exists. All threads of the block
// call it.
__device__ inline void count_tile(
    const SortedKeys& sorted, i64 tile, bool arc, bool found, bool present, u64* sums, u64* counters) {
  u64 changes = __syncthreads_count(arc && found == present);
  u64 groups = __syncthreads_count(sorted.begins_group(tile * TILE + threadIdx.x));
  u64 others = __syncthreads_count(arc && found != present);
  if (threadIdx.x == 0) {
    sums[tile] = changes | groups << 32;
    if (others) atomicAdd(counters + OTHERS, others);
  }
}

// Writes changes and groups without gaps. change_slots: the look-up result, or its complement if negative.
extern "C" __global__ void __launch_bounds__(TILE) keep_changes(
    i64 count, const i64* keys, i64 bits, i64 shift, const i64* order, const Slot* slots, bool present,
    const WEIGHT* weights, const u64* sums, bool summed, VID* group_vertex, i64* group_start, int* change_group,
    VID* change_dst, WEIGHT* change_weights, Slot* change_slots, u64* counters) {
  SortedKeys sorted{count, keys, bits, shift};
  TILES(tile, count) {
    u64 before = sum_before(sums, summed, tile), total;
    i64 i = tile * TILE + threadIdx.x;
    Slot slot = i < count ? slots[i] : Slot(-1);
    bool change = sorted.is_last(i) && (slot >= 0) == present, begins = sorted.begins_group(i);
    u64 at = before + block_exclusive(u64(change) | u64(begins) << 32, total);
    i64 place = i64(at & 0xffffffffu), group = i64(at >> 32);
    if (change) {
      change_dst[place] = VID(sorted.destination(i));
      if (change_group) change_group[place] = int(group) - !begins;
      if (change_weights) change_weights[place] = weights[sorted.position(i, order)];
      if (change_slots) change_slots[place] = slot >= 0 ? slot : Slot(~slot);
    }
    if (begins) {
      group_vertex[group] = VID(sorted.source(i));
      group_start[group] = place;
    }
    if ((tile + 1) * TILE >= count && threadIdx.x == 0) {
      total += before;
      counters[CHANGES] = total & 0xffffffffu;
      counters[GROUPS] = total >> 32;
      group_start[total >> 32] = i64(total & 0xffffffffu);
    }
  }
}

// Gives existing arcs their new weights. Must run before anything moves. others: their number.
extern "C" __global__ void replace_weights(
    i64 count, View view, const i64* keys, i64 bits, i64 shift, const i64* order, const Slot* slots,
    const WEIGHT* weights, const i64* others) {
  if (!*others) return;
  SortedKeys sorted{count, keys, bits, shift};
  GRID_STRIDE(i, count) {
    if (slots[i] >= 0) view.weights[slot_in_pool(view, sorted.source(i), slots[i])] = weights[sorted.position(i, order)];
  }
}

// Reports, as the last kernel of a chain, on a batch whose changes are the keys that are in the graph, if `present`, or
// not.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) finish_small(
    i64 count, SmallKeys sorted, const Slot* slots, bool present) {
  finish(sorted, [&](i64 position, VID, VID) { return (slots[position] >= 0) == present; });
}

// Makes a batch change nothing, by one thread: these counters, and others that the structure clears, specify the work
// of later kernels.
__device__ inline void decline(u64* counters) {
  counters[CHANGES] = counters[GROUPS] = counters[OTHERS] = 0;
  counters[SMALL_DECLINED] = 1;
}
