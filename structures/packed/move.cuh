// Rebalancing windows: their entries and the new keys are merged and distributed evenly over their leaves. Each entry
// moves once. Leaf j of w gets the ranks ceil(n j / w) .. ceil(n (j + 1) / w) - 1 of n.
//
// Teams of lanes move small windows in registers: eight lanes for a leaf, a warp, or a block. Large ones go through a
// staging area, shared by many blocks.
#pragma once
#include "structures/packed/layout.cuh"

// Blocks of a multiprocessor that rebalance windows at the same time, at least: as many as have registers enough.
constexpr int MOVE_BLOCKS = sizeof(VID) + sizeof(WEIGHT) > 8 ? 2 : 3;

// Threads that rebalance a window together: ITEMS consecutive slots to each.
template <int LANES, int ITEMS>
struct Team {
  int lane;
  u32 mask;
  __device__ Team() : lane(threadIdx.x & (LANES - 1)) {
    int in_warp = threadIdx.x & 31;
    mask = LANES >= 32 ? 0xffffffffu : ((1u << (LANES & 31)) - 1) << (in_warp & ~(LANES - 1) & 31);
  }
  __device__ void sync() const {
    if constexpr (LANES > 32) __syncthreads(); else __syncwarp(mask);
  }
  // Sum of `value` over the lanes before this one. `total` becomes the sum over all.
  template <class T>
  __device__ T exclusive(T value, T& total) const {
    if constexpr (LANES > 32) {
      return block_exclusive(value, total);
    } else {
      T inclusive = lanes_inclusive<LANES>(value, mask);
      total = __shfl_sync(mask, inclusive, LANES - 1, LANES);
      return inclusive - value;
    }
  }
};

// Three sums in one number, of BITS bits each: of entries, guards, and new keys.
template <bool small>
struct Sums {
  typedef u32 type;
  static constexpr int BITS = 10;
};
template <>
struct Sums<false> {
  typedef u64 type;
  static constexpr int BITS = 20;
};

// How n entries are distributed over w leaves.
struct Shares {
  u32 number, leaves;
  __device__ u32 begin(u32 leaf) const { return leaves == 1 ? leaf * number : (number * leaf + leaves - 1) / leaves; }
  __device__ u32 leaf_of(u32 rank) const { return leaves == 1 ? 0 : rank * leaves / number; }
};

// Rebalances the window of `leaves` leaves (at most SLOTS / LEAF) from `start` on, merging the new ones of the keys
// low .. high - 1. `before` is shared memory of the team: SLOTS + 1.
template <int LANES, int ITEMS>
__device__ void rebalance(const View& view, const Team<LANES, ITEMS>& team, i64 start, int leaves, const Batch& batch,
                          i64 low, i64 high, u32* before) {
  constexpr int SLOTS = LANES * ITEMS;
  int first = team.lane * ITEMS, slots = leaves * LEAF;
  for (int s = team.lane; s <= SLOTS; s += LANES) before[s] = 0;
  VID item[ITEMS];
  WEIGHT weight[ITEMS];
  i64 at = 0;
  bool mine = first < slots;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) item[k] = EMPTY;
  if (mine) {
    at = (view.leaf_at(start + first / LEAF) << LEAF_BITS) + (first & (LEAF - 1));
    load_slots(item, view.neighbors + at);
    if (view.weights) {
#pragma unroll
      for (int k = 0; k < ITEMS; ++k) weight[k] = view.weights[at + k];
    }
  }
  i64 separator = view.separators[view.leaf_at(start)];
  i64 rows_before = (separator >> KEY_SHIFT) - ((separator & COLUMN_MASK) == 0);
  i64 after = start + leaves < view.leaves ? view.separators[view.leaf_at(start + leaves)] : END;
  team.sync();
  // The number of keys before each slot. `slots` is the end.
  for (i64 j = low + team.lane; j < high; j += LANES) {
    i64 place = batch.places[j];
    if (place & 1) continue;
    atomicAdd(before + ((place >> PLACE_SHIFT) - start) * LEAF + (place >> 1 & 63), 1u);
  }
  team.sync();
  // Entries, guards and new keys before each slot.
  typedef typename Sums<(SLOTS <= 256)>::type Sum3;
  constexpr int BITS = Sums<(SLOTS <= 256)>::BITS;
  constexpr Sum3 FIELD = (Sum3(1) << BITS) - 1;
  u32 keys[ITEMS];
  Sum3 sum = 0, total;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    keys[k] = mine ? before[first + k] : 0;
    sum += Sum3(keys[k]) << 2 * BITS | Sum3(item[k] == GUARD) << BITS | Sum3(item[k] != EMPTY);
  }
  u32 at_end = before[slots];
  sum = team.exclusive(sum, total);
  team.sync();  // all have read the end
  Shares shares{u32(total & FIELD) + u32(total >> 2 * BITS) + at_end, u32(leaves)};
  int rank[ITEMS];
  i64 row[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (mine) before[first + k] = u32(sum & FIELD);
    bool used = item[k] != EMPTY;
    sum += Sum3(keys[k]) << 2 * BITS | Sum3(item[k] == GUARD) << BITS | Sum3(used);
    rank[k] = used ? int(u32(sum & FIELD) + u32(sum >> 2 * BITS)) - 1 : -1;
    row[k] = rows_before + i64(sum >> BITS & FIELD);
  }
  if (team.lane == 0) before[slots] = u32(total & FIELD);
  team.sync();

  auto place = [&](u32 r, i64 of_row, VID column, WEIGHT w) {
    u32 leaf = shares.leaf_of(r), begin = shares.begin(leaf);
    i64 slot = (view.leaf_at(start + leaf) << LEAF_BITS) + (r - begin);
    view.neighbors[slot] = column;
    if (view.weights) view.weights[slot] = w;
    if (column == GUARD) view.offsets[of_row] = slot;
    if (r == begin) {  // the first of its leaf, and of empty ones before it
      i64 key = of_row << KEY_SHIFT | (column == GUARD ? 0 : i64(column) + 1);
      for (; leaf > 0; --leaf) {
        view.separators[view.leaf_at(start + leaf)] = key;
        if (shares.begin(leaf - 1) < r) break;
      }
    }
  };
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (rank[k] >= 0) place(u32(rank[k]), row[k], item[k], view.weights ? weight[k] : WEIGHT(0));
  u32 ordinal = 0;
  for (i64 base = low; base < high; base += LANES) {
    i64 j = base + team.lane, key_place = j < high ? batch.places[j] : 1;
    u32 in_round, fresh = team.exclusive(u32(!(key_place & 1)), in_round);
    if (!(key_place & 1)) {
      u32 entries = before[((key_place >> PLACE_SHIFT) - start) * LEAF + (key_place >> 1 & 63)];
      place(entries + ordinal + fresh, batch.row(j), batch.column(j), batch.weight(j));
    }
    ordinal += in_round;
  }
  // Slots behind the entries of each leaf, its count, and the separators of empty leaves at the end.
  if (mine) {
    u32 leaf = first / LEAF, count = shares.begin(leaf + 1) - shares.begin(leaf);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      if (u32((first & (LEAF - 1)) + k) >= count && item[k] != EMPTY) view.neighbors[at + k] = VID(EMPTY);
  }
  for (u32 leaf = team.lane; leaf < u32(leaves); leaf += LANES) {
    u32 begin = shares.begin(leaf);
    i64 p = view.leaf_at(start + leaf);
    view.counts[p] = int(shares.begin(leaf + 1) - begin);
    if (leaf && begin == shares.number) view.separators[p] = after;
  }
}

#define BATCH_NAMES size, keys, shift, places, weights, origin

__device__ __forceinline__ bool is_void(i64 window, const int* tile_state) {
  return window_height(window) <= TILE_HEIGHT && tile_state[window_start(window) >> TILE_HEIGHT] == COVERED;
}

// Rebalances windows of up to 64 leaves. A window of one leaf gets eight lanes, of 2 to 8 leaves a warp, and of 16 to
// 64 leaves a block. `counters`, if given, bound the numbers of windows. Windows share no leaf, so threads of windows
// of different sizes do not wait for each other. Few are larger than a leaf, and the blocks that come last process them
// first. The counts of `locate` at the leaves are set to zero, also if a chain has declined.
extern "C" __global__ void __launch_bounds__(256, MOVE_BLOCKS) move_windows(
    i64 count, View view, const i64* leaves, i64 num_leaves, const i64* warps, i64 num_warps, const i64* blocks,
    i64 num_blocks, const int* tile_state, u32* arriving, BATCH, const u64* counters) {
  __shared__ u32 before[256 * 8 + 8];
  Batch batch{BATCH_NAMES};
  auto forget = [&](i64 leaf) { arriving[leaf] = arriving[view.leaves + leaf] = 0; };
  if (counters) {
    if (keys && is_declined(counters)) {
      GRID_STRIDE(j, size) {
        if (!(places[j] & 1)) forget(places[j] >> PLACE_SHIFT);  // END is odd
      }
      return;
    }
    num_leaves = at_most(num_leaves, counters + LEAVES);
    num_warps = at_most(num_warps, counters + WARPS);
    num_blocks = at_most(num_blocks, counters + BLOCKS);
  }
  Team<8, 4> eight;
  for (i64 w = (i64(blockIdx.x) * 256 + threadIdx.x) / 8; w < num_leaves; w += i64(gridDim.x) * 256 / 8) {
    i64 window = leaves[w];
    if (is_void(window, tile_state)) continue;
    i64 start = window_start(window), low = FIRST_ARRIVAL(arriving[view.leaves + start]), high = low;
    do {  // the keys that go to this leaf follow one another
      bool same = high + eight.lane < size && places[high + eight.lane] >> PLACE_SHIFT == start;
      int run = __popc(__ballot_sync(eight.mask, same));
      high += run;
      if (run < 8) break;
    } while (true);
    eight.sync();
    rebalance(view, eight, start, 1, batch, low, high, before + threadIdx.x / 8 * (LEAF + 1));
    if (eight.lane == 0) forget(start);
    eight.sync();
  }
  __syncthreads();
  i64 block = gridDim.x - 1 - blockIdx.x;
  Team<32, 8> warp;
  for (i64 w = (block * 256 + threadIdx.x) / 32; w < num_warps; w += i64(gridDim.x) * 256 / 32) {
    i64 window = warps[w];
    if (is_void(window, tile_state)) continue;
    i64 start = window_start(window), end = start + window_leaves(view, start, window_height(window));
    i64 low = batch.lower_bound(start << PLACE_SHIFT), high = batch.lower_bound(end << PLACE_SHIFT, low);
    rebalance(view, warp, start, int(end - start), batch, low, high, before + threadIdx.x / 32 * (32 * 8 + 1));
    for (i64 leaf = start + warp.lane; keys && leaf < end; leaf += 32) forget(leaf);
    warp.sync();
  }
  __syncthreads();
  Team<256, 8> whole;
  for (i64 w = block; w < num_blocks; w += gridDim.x) {
    i64 window = blocks[w];
    if (is_void(window, tile_state)) continue;
    i64 start = window_start(window), end = start + window_leaves(view, start, window_height(window));
    i64 low = batch.lower_bound(start << PLACE_SHIFT), high = batch.lower_bound(end << PLACE_SHIFT, low);
    rebalance(view, whole, start, int(end - start), batch, low, high, before);
    for (i64 leaf = start + whole.lane; keys && leaf < end; leaf += 256) forget(leaf);
    whole.sync();
  }
}

// ---- large windows --------------------------------------------------------------------------------------------------

#define LARGE_MOVES                                                                                                    \
  i64 count, View view, const i64 *large, i64 windows, const int *tile_state, BATCH, const i64 *ends,                  \
      const i64 *ordinals, i64 *staged_keys, WEIGHT *staged_weights

// A chunk of a large window, found in the table of large windows by its number. All threads of the block make it.
struct Chunk {
  i64 start, leaves;        // of the window, in order
  i64 first, end;           // leaves of the chunk, in order
  i64 room;                 // where the window is staged
  i64 low, high;            // keys that come to the chunk
  i64 new_before;           // new keys before the ones that go to the window
  i64 entries_before;       // entries before the window
  i64 number;               // final entries of the window
  int shift;                // logarithm of `leaves` if that is a power of two, or else -1
  bool skip;
  const i64* ends;
  const i64* ordinals;

  __device__ Chunk(i64 chunk, const View& view, const i64* large, i64 windows, const int* tile_state,
                   const Batch& batch, const i64* entry_ends, const i64* key_ordinals)
      : ends(entry_ends), ordinals(key_ordinals) {
    __shared__ i64 found[4];
    const i64* entry = large + 3 * (warp_partition(windows, [&](i64 w) { return large[3 * w + 1] <= chunk; }) - 1);
    start = window_start(entry[0]);
    leaves = window_leaves(view, start, window_height(entry[0]));
    shift = (leaves & (leaves - 1)) == 0 ? 63 - __clzll(leaves) : -1;
    skip = is_void(entry[0], tile_state);
    first = start + (chunk - entry[1]) * CHUNK_LEAVES;
    end = first + CHUNK_LEAVES < start + leaves ? first + CHUNK_LEAVES : start + leaves;
    room = entry[2];
    // The first keys of the window, the chunk, and the entries after each, a warp to each.
    int warp = threadIdx.x / 32;
    i64 leaf = warp == 0 ? start : warp == 1 ? first : warp == 2 ? end : start + leaves;
    __syncthreads();  // found may still be read for the chunk before
    if (warp < 4) {
      i64 key = warp_partition(batch.keys ? batch.size : 0, [&](i64 j) { return batch.places[j] < leaf << PLACE_SHIFT; });
      if ((threadIdx.x & 31) == 0) found[warp] = key;
    }
    __syncthreads();
    low = found[1];
    high = found[2];
    new_before = new_keys(found[0]);
    entries_before = entries(start);
    number = entries(start + leaves) - entries_before + new_keys(found[3]) - new_before;
  }
  __device__ i64 entries(i64 leaf) const { return leaf ? ends[leaf - 1] : 0; }
  __device__ i64 new_keys(i64 j) const { return ordinals && j ? ordinals[j - 1] : 0; }
  __device__ i64 begin(i64 leaf) const {
    i64 part = number * leaf + leaves - 1;
    return shift < 0 ? part / leaves : part >> shift;
  }
};

// Merges large windows into the staging area, as full keys. A block to each chunk, eight lanes to a leaf of it.
extern "C" __global__ void __launch_bounds__(256) stage(LARGE_MOVES) {
  Team<8, 4> team;
  Batch batch{BATCH_NAMES};
  for (i64 c = blockIdx.x; c < count; c += gridDim.x) {
    Chunk chunk(c, view, large, windows, tile_state, batch, ends, ordinals);
    if (chunk.skip) continue;
    i64* out = staged_keys + chunk.room;
    WEIGHT* out_weights = view.weights ? staged_weights + chunk.room : nullptr;
    for (i64 leaf = chunk.first + threadIdx.x / 8; leaf < chunk.end; leaf += 256 / 8) {
      i64 base = view.leaf_at(leaf) << LEAF_BITS;
      VID item[4];
      load_slots(item, view.neighbors + base + team.lane * 4);
      i64 separator = view.separators[base >> LEAF_BITS];
      u64 sum = 0, total;
#pragma unroll
      for (int k = 0; k < 4; ++k) sum += u64(item[k] == GUARD) << 32 | u64(item[k] != EMPTY);
      sum = team.exclusive(sum, total);
      i64 from = batch.lower_bound(leaf << PLACE_SHIFT, chunk.low, chunk.high);
      i64 to = batch.lower_bound((leaf + 1) << PLACE_SHIFT, from, chunk.high);
      i64 rows_before = (separator >> KEY_SHIFT) - ((separator & COLUMN_MASK) == 0);
      i64 rank = chunk.entries(leaf) - chunk.entries_before + chunk.new_keys(from) - chunk.new_before;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (item[k] == EMPTY) continue;
        int s = team.lane * 4 + k;
        i64 r = rank + i64(sum & 0xffffffffu);
        sum += u64(item[k] == GUARD) << 32 | 1;
        if (from < to)  // new keys that come to the leaf before this slot's entry
          r += chunk.new_keys(batch.lower_bound(leaf << PLACE_SHIFT | s << 1 | 1, from, to)) - chunk.new_keys(from);
        out[r] = (rows_before + i64(sum >> 32)) << KEY_SHIFT | (item[k] == GUARD ? 0 : i64(item[k]) + 1);
        if (out_weights) out_weights[r] = view.weights[base + s];
      }
    }
    for (i64 j = chunk.low + threadIdx.x; j < chunk.high; j += blockDim.x) {
      i64 place = places[j];
      if (place & 1) continue;
      i64 leaf = place >> PLACE_SHIFT, base = view.leaf_at(leaf) << LEAF_BITS;
      int position = int(place >> 1 & 63);
      i64 r = chunk.entries(leaf) - chunk.entries_before + chunk.new_keys(j) - chunk.new_before;
      for (int s = 0; s < position; ++s) r += view.neighbors[base + s] != EMPTY;
      out[r] = batch.row(j) << KEY_SHIFT | (i64(batch.column(j)) + 1);
      if (out_weights) out_weights[r] = batch.weight(j);
    }
  }
}

// Distributes staged windows over their leaves. A block to each chunk, a thread to a slot.
extern "C" __global__ void __launch_bounds__(256) distribute(LARGE_MOVES) {
  Batch batch{BATCH_NAMES};
  for (i64 c = blockIdx.x; c < count; c += gridDim.x) {
    Chunk chunk(c, view, large, windows, tile_state, batch, ends, ordinals);
    if (chunk.skip) continue;
    const i64* from = staged_keys + chunk.room;
    for (i64 i = chunk.first * LEAF + threadIdx.x; i < chunk.end * LEAF; i += blockDim.x) {
      i64 leaf = i / LEAF, position = i % LEAF, p = view.leaf_at(leaf), slot = (p << LEAF_BITS) + position;
      i64 begin = chunk.begin(leaf - chunk.start), end = chunk.begin(leaf - chunk.start + 1);
      VID column = EMPTY;
      if (begin + position < end) {
        i64 key = from[begin + position];
        column = key & COLUMN_MASK ? VID((key & COLUMN_MASK) - 1) : VID(GUARD);
        if (column == GUARD) view.offsets[key >> KEY_SHIFT] = slot;
        if (view.weights) view.weights[slot] = staged_weights[chunk.room + begin + position];
      }
      view.neighbors[slot] = column;
      if (position) continue;
      view.counts[p] = int(end - begin);
      if (leaf == chunk.start) continue;
      i64 next = chunk.start + chunk.leaves;
      view.separators[p] = begin < chunk.number ? from[begin]
                           : next < view.leaves ? view.separators[view.leaf_at(next)]
                                                : END;
    }
  }
}
