// Moving neighbors: lists that change their block, and lists that open up for insertions or close over deletions.
//
// A neighbor at position p of its list goes to position p plus the number of insertions before it, or minus the number
// of deletions. A binary search in the list's changes finds this number. A tile moves short lists in place. Many thread
// blocks move large ones through a staging area.
#pragma once
#include "frontier/cuda/tile.cuh"
#include "structures/hornet/plan.cuh"

#define LANES 8  // of a tile that moves a short list
#define ITEMS 4  // neighbors that a lane of it moves at a time

// The common parameters of all kernels here.
#define LISTS                                                                                                          \
  Record *records, VID *neighbors, WEIGHT *weights, const VID *group_vertex, const i64 *group_start,                   \
      const VID *delta_pos, const VID *delta_dst, const WEIGHT *delta_weights, i64 mode, const i64 *moves,             \
      const i64 *fresh, const i64 *counters

__device__ inline i64 new_start(const Group& group, const i64* fresh, const i64* offsets) {
  if (group.move == STAY) return group.old.start;
  if (group.move == DROP) return -1;
  return fresh[offsets[group.move >> RANK_BITS] + (group.move & ((i64(1) << RANK_BITS) - 1))];
}

// The new position of the neighbor at position p, or -1 if it is deleted.
__device__ inline i64 new_place(const Group& group, i64 p, i64 mode, const VID* delta_pos) {
  if (!group.changes()) return p;
  if (mode == INSERT) return p + lower_bound(delta_pos, group.low, group.high, p + 1) - group.low;
  i64 next = lower_bound(delta_pos, group.low, group.high, p);
  return next < group.high && delta_pos[next] == p ? -1 : p - (next - group.low);
}

// Executes the plan for short lists, a tile to each.
extern "C" __global__ void apply(i64 count, LISTS) {
  __shared__ i64 offsets[CLASSES];
  if (group_vertex) count = at_most(count, u64(counters[GROUPS]));
  class_offsets(counters, offsets);
  Tile<LANES> tile;
  i64 tiles = i64(gridDim.x) * blockDim.x / LANES;
  for (i64 g = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / LANES; g < count; g += tiles) {
    Group group(g, records, group_vertex, group_start);
    group.set_move(moves[g], mode, delta_pos);
    if (group.work == 0 || group.work > LARGE_LIST) continue;
    i64 from = group.old.start, to = new_start(group, fresh, offsets);
    // Insertions move neighbors up, so the last are moved first. Deletions are the other way round. Slots that a step
    // overwrites have been read by then.
    int steps = int((group.tail + LANES * ITEMS - 1) / (LANES * ITEMS));
    for (int step = 0; step < steps; ++step) {
      i64 base = group.first + i64(mode == INSERT ? steps - 1 - step : step) * (LANES * ITEMS) + tile.lane;
      VID neighbor[ITEMS];
      WEIGHT weight[ITEMS];
      i64 place[ITEMS];
#pragma unroll
      for (int item = 0; item < ITEMS; ++item) {
        i64 p = base + item * LANES;
        place[item] = -1;
        if (p < group.old.degree()) {
          neighbor[item] = neighbors[from + p];
          if (weights) weight[item] = weights[from + p];
          place[item] = new_place(group, p, mode, delta_pos);
        }
      }
      __syncwarp(tile.mask);
#pragma unroll
      for (int item = 0; item < ITEMS; ++item) {
        if (place[item] < 0) continue;
        neighbors[to + place[item]] = neighbor[item];
        if (weights) weights[to + place[item]] = weight[item];
      }
    }
    if (mode != INSERT) continue;
    for (i64 j = group.low + tile.lane; j < group.high; j += LANES) {
      i64 slot = to + (delta_pos ? i64(delta_pos[j]) : 0) + j - group.low;
      neighbors[slot] = delta_dst[j];
      if (weights) weights[slot] = delta_weights[j];
    }
  }
}

// The large list (index in the table of large lists) that a chunk belongs to.
__device__ inline i64 list_of_chunk(const i64* large, i64 lists, i64 chunk) {
  i64 low = 0, high = lists - 1;
  while (low < high) {
    i64 middle = (low + high + 1) >> 1;
    if (large[3 * middle + 1] <= chunk) low = middle; else high = middle - 1;
  }
  return low;
}

// Sets the numbers of chunks and of large lists to the planned ones, if the host has not read them: then `lists` is -1.
__device__ inline void planned_chunks(i64& count, i64& lists, const i64* counters) {
  if (lists >= 0) return;
  count = counters[LARGE] & 0xffffffff;
  lists = counters[LARGE] >> 32;
}

// Copies what moves within its block to the staging area, a thread block to each chunk of a large list.
extern "C" __global__ void stage(i64 count, LISTS, const i64* large, i64 lists, VID* staged, WEIGHT* staged_weights) {
  planned_chunks(count, lists, counters);
  for (i64 chunk = blockIdx.x; chunk < count; chunk += gridDim.x) {
    const i64* entry = large + 3 * list_of_chunk(large, lists, chunk);
    if (entry[2] < 0) continue;
    Group group(entry[0], records, group_vertex, group_start);
    group.set_move(moves[entry[0]], mode, delta_pos);
    i64 base = (chunk - entry[1]) * CHUNK, end = base + CHUNK < group.tail ? base + CHUNK : group.tail;
    for (i64 i = base + threadIdx.x; i < end; i += blockDim.x) {
      staged[entry[2] + i] = neighbors[group.old.start + group.first + i];
      if (weights) staged_weights[entry[2] + i] = weights[group.old.start + group.first + i];
    }
  }
}

// Executes the plan for large lists, a thread block to each chunk.
extern "C" __global__ void scatter(i64 count, LISTS, const i64* large, i64 lists, const VID* staged,
                                   const WEIGHT* staged_weights) {
  __shared__ i64 offsets[CLASSES];
  planned_chunks(count, lists, counters);
  class_offsets(counters, offsets);
  for (i64 chunk = blockIdx.x; chunk < count; chunk += gridDim.x) {
    const i64* entry = large + 3 * list_of_chunk(large, lists, chunk);
    Group group(entry[0], records, group_vertex, group_start);
    group.set_move(moves[entry[0]], mode, delta_pos);
    i64 to = new_start(group, fresh, offsets);
    bool in_place = entry[2] >= 0;
    const VID* from = in_place ? staged + entry[2] : neighbors + group.old.start;
    const WEIGHT* from_weights = in_place ? staged_weights + entry[2] : weights + group.old.start;
    i64 base = (chunk - entry[1]) * CHUNK, end = base + CHUNK < group.work ? base + CHUNK : group.work;
    for (i64 i = base + threadIdx.x; i < end; i += blockDim.x) {
      if (i < group.tail) {
        i64 place = new_place(group, group.first + i, mode, delta_pos);
        if (place < 0) continue;
        neighbors[to + place] = from[i];
        if (weights) weights[to + place] = from_weights[i];
      } else {
        i64 j = i - group.tail;
        i64 slot = to + (delta_pos ? i64(delta_pos[group.low + j]) : 0) + j;
        neighbors[slot] = delta_dst[group.low + j];
        if (weights) weights[slot] = delta_weights[group.low + j];
      }
    }
  }
}

// Writes the new records and gives back the blocks that were left.
extern "C" __global__ void commit(
    i64 count, Record* records, const VID* group_vertex, const i64* group_start, i64 mode, const i64* moves,
    const i64* fresh, const i64* counters, i64 unit_bits, u32* free_bits, int* free_counts) {
  __shared__ i64 offsets[CLASSES];
  if (group_vertex) count = at_most(count, u64(counters[GROUPS]));
  class_offsets(counters, offsets);
  i64 words_per_unit = unit_bits > 5 ? i64(1) << (unit_bits - 5) : 1;
  for (i64 base = i64(blockIdx.x) * blockDim.x; base < count; base += i64(gridDim.x) * blockDim.x) {
    i64 g = base + threadIdx.x, unit = 0;
    bool left = false;
    if (g < count && (moves[g] != STAY || group_start)) {
      Group group(g, records, group_vertex, group_start);
      group.move = moves[g];
      left = group.move != STAY && group.old.start >= 0;
      unit = left ? group.old.start >> unit_bits : 0;
      if (left) {
        i64 block = (group.old.start - (unit << unit_bits)) >> group.old.block_class();
        atomicOr(free_bits + unit * words_per_unit + (block >> 5), 1u << (block & 31));
      }
      i64 block_class = group.move >= 0 ? group.move >> RANK_BITS : group.old.block_class();
      i64 start = new_start(group, fresh, offsets);
      i64 meta = group.move == DROP ? 0 : group.new_degree(mode) << CLASS_BITS | block_class;
      reinterpret_cast<longlong2*>(records)[group.v] = make_longlong2(start, meta);
    }
    // One addition for all blocks of a warp that go back to the same block-array.
    u32 leaving = __ballot_sync(0xffffffffu, left);
    if (left) {
      u32 peers = __match_any_sync(leaving, unsigned(unit));
      if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(free_counts + unit, __popc(peers));
    }
  }
}
