// From a batch to the changes that it makes, grouped by source: keys, look-up, compaction.
#pragma once
#include "structures/hornet/layout.cuh"

#define IGNORED 0  // stands for no arc, or for one that is listed again
#define CHANGE 1   // absent and to be inserted, or present and to be deleted
#define NO_CHANGE 2
#define NO_KEY 0x7fffffffffffffffll

extern "C" __global__ void make_keys(i64 count, const VID* src, const VID* dst, i64 shift, i64* keys) {
  GRID_STRIDE(i, count) keys[i] = src[i] < 0 ? NO_KEY : i64(src[i]) << shift | dst[i];
}

__device__ inline bool begins_group(const i64* keys, i64 i, i64 key, i64 shift) {
  return key != NO_KEY && (i == 0 || keys[i - 1] >> shift != key >> shift);
}

// Looks up sorted keys, one by each thread. `states` and `places` tell what each is and where in its source's list it
// is or would go; `sums` how many changes (low half) and groups (high half) are in each block of KEYS keys.
extern "C" __global__ void __launch_bounds__(KEYS)
locate(i64 count, const Record* records, const VID* neighbors, const i64* keys, i64 shift, bool inserting,
       signed char* states, VID* places, u64* sums, u64* counters) {
  for (i64 tile = blockIdx.x; tile * KEYS < count; tile += gridDim.x) {
    i64 i = tile * KEYS + threadIdx.x;
    int state = IGNORED;
    bool begins = false;
    if (i < count) {
      i64 key = keys[i];
      begins = begins_group(keys, i, key, shift);
      if (key != NO_KEY && (i + 1 == count || keys[i + 1] != key)) {
        Record record = load_record(records, key >> shift);
        i64 dst = key & ((i64(1) << shift) - 1), end = record.start + record.degree();
        i64 slot = lower_bound(neighbors, record.start, end, dst);
        bool present = slot < end && neighbors[slot] == dst;
        state = present != inserting ? CHANGE : NO_CHANGE;
        places[i] = (VID)(slot - record.start);
      }
      states[i] = state;
    }
    u64 changes = __syncthreads_count(state == CHANGE);
    u64 groups = __syncthreads_count(begins);
    u64 others = __syncthreads_count(state == NO_CHANGE);
    if (threadIdx.x == 0) {
      sums[tile] = changes | groups << 32;
      if (others) atomicAdd(counters + OTHER, others);
    }
  }
}

// Writes the changes and the groups without gaps. `summed`: sums are running already.
extern "C" __global__ void __launch_bounds__(KEYS)
compact(i64 count, const i64* keys, const WEIGHT* weights, const i64* order, i64 shift, const signed char* states,
        const VID* places, const u64* sums, bool summed, VID* group_vertex, i64* group_start, VID* delta_pos,
        VID* delta_dst, WEIGHT* delta_weights, u64* counters) {
  i64 tiles = (count + KEYS - 1) / KEYS;
  for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    u64 before = 0, total;
    if (summed) {
      before = tile ? sums[tile - 1] : 0;
    } else {
      u64 part = 0;
      for (i64 t = threadIdx.x; t < tile; t += KEYS) part += sums[t];
      block_exclusive(part, before);
    }
    i64 i = tile * KEYS + threadIdx.x;
    i64 key = i < count ? keys[i] : NO_KEY;
    bool change = i < count && states[i] == CHANGE, begins = i < count && begins_group(keys, i, key, shift);
    u64 at = before + block_exclusive(u64(change) | u64(begins) << 32, total);
    i64 delta = i64(at & 0xffffffffu), group = i64(at >> 32);
    if (change) {
      delta_pos[delta] = places[i];
      delta_dst[delta] = (VID)(key & ((i64(1) << shift) - 1));
      if (delta_weights) delta_weights[delta] = weights[order[i]];
    }
    if (begins) {
      group_vertex[group] = (VID)(key >> shift);
      group_start[group] = delta;
    }
    if (tile == tiles - 1 && threadIdx.x == 0) {
      total += before;
      counters[DELTA] = total & 0xffffffffu;
      counters[GROUPS] = total >> 32;
      group_start[total >> 32] = i64(total & 0xffffffffu);
    }
  }
}

// Gives arcs that were there already their new weights; to run before any list moves.
extern "C" __global__ void replace_weights(
    i64 count, const Record* records, const i64* keys, i64 shift, const signed char* states, const VID* places,
    const WEIGHT* batch_weights, const i64* order, WEIGHT* weights) {
  GRID_STRIDE(i, count) {
    if (states[i] == NO_CHANGE) weights[records[keys[i] >> shift].start + places[i]] = batch_weights[order[i]];
  }
}
