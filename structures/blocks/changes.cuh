// From distinct keys and the slots that they were found in to changes, grouped by source; and new arcs written to the end
// of their lists. Macros: VID, WEIGHT; View with slot_of.
#pragma once
#include "structures/blocks/scan_tiles.cuh"

#define END 0x7fffffffffffffffll  // stands after all keys

// The slot of each arc of a list of at most `limit` neighbors; -2 for other lists.
extern "C" __global__ void find_short(
    i64 count, View view, const VID* src, const VID* dst, i64 limit, i64* slots, u64* counters) {
  GRID_STRIDE(i, count) {
    VID u = src[i];
    i64 slot = u < 0 ? -1 : view.degree(u) > limit ? -2 : view.find(u, dst[i]);
    slots[i] = slot;
    if (slot == -2) counters[PENDING] = 1;
  }
}

__device__ inline bool begins_group(const i64* keys, i64 i, i64 key, i64 shift) {
  return key != END && (i == 0 || keys[i - 1] >> shift != key >> shift);
}

// Sums of changes (low half) and groups (high half) of each tile. Changes are keys that are in the graph, if `present`, or
// those that are not.
extern "C" __global__ void __launch_bounds__(TILE) count_changes(
    i64 count, const i64* keys, const i64* slots, i64 shift, bool present, u64* sums, u64* counters) {
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    i64 key = i < count ? keys[i] : END;
    bool change = key != END && (slots[i] >= 0) == present;
    u64 changes = __syncthreads_count(change);
    u64 groups = __syncthreads_count(begins_group(keys, i, key, shift));
    u64 others = __syncthreads_count(key != END && !change);
    if (threadIdx.x == 0) {
      sums[tile] = changes | groups << 32;
      if (others) atomicAdd(counters + OTHERS, others);
    }
  }
}

// Writes changes and groups without gaps.
extern "C" __global__ void __launch_bounds__(TILE) keep_changes(
    i64 count, const i64* keys, const i64* slots, i64 shift, bool present, const i64* origin, const WEIGHT* weights,
    const u64* sums, bool summed, VID* group_vertex, i64* group_start, int* change_group, VID* change_dst,
    WEIGHT* change_weights, i64* change_slots, u64* counters) {
  TILES(tile, count) {
    u64 before = sum_before(sums, summed, tile), total;
    i64 i = tile * TILE + threadIdx.x;
    i64 key = i < count ? keys[i] : END;
    bool change = key != END && (slots[i] >= 0) == present, begins = begins_group(keys, i, key, shift);
    u64 at = before + block_exclusive(u64(change) | u64(begins) << 32, total);
    i64 place = i64(at & 0xffffffffu), group = i64(at >> 32);
    if (change) {
      change_group[place] = int(group) - !begins;
      change_dst[place] = VID(key & ((i64(1) << shift) - 1));
      if (change_weights) change_weights[place] = weights[origin[i]];
      if (change_slots) change_slots[place] = slots[i];
    }
    if (begins) {
      group_vertex[group] = VID(key >> shift);
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

// Gives arcs that were there already their new weights.
extern "C" __global__ void replace_weights(
    i64 count, const i64* slots, const i64* origin, const WEIGHT* weights, WEIGHT* pool_weights) {
  GRID_STRIDE(i, count) if (slots[i] >= 0) pool_weights[slots[i]] = weights[origin[i]];
}

// Writes new arcs to the end of their lists, which have their new degrees.
extern "C" __global__ void append(
    i64 count, View view, const VID* group_vertex, const i64* group_start, const int* change_group,
    const VID* change_dst, const WEIGHT* change_weights) {
  GRID_STRIDE(i, count) {
    i64 group = change_group[i];
    VID v = group_vertex ? group_vertex[group] : VID(group);
    i64 slot = view.slot_of(v, view.degree(v) - (group_start[group + 1] - i));
    view.neighbors[slot] = change_dst[i];
    if (view.weights) view.weights[slot] = change_weights[i];
  }
}
