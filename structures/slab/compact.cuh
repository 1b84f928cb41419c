// Taking out tombstones, and whole tables.
#pragma once
#include "frontier/cuda/scan.cuh"
#include "structures/slab/pool.cuh"

// A warp moves the keys of a chain to its front, slab by slab: the target is never ahead of the source.
__device__ inline void compact_chain(const Tile<32>& warp, const Pool& pool, WEIGHT* weights, i64 source) {
  int lane = warp.lane, filled = 0;  // keys in the target slab
  i64 target = source, after = -1;
  while (source >= 0) {
    i64 slot = source * SLAB_STRIDE + lane;
    VID key = lane < SLAB_WORDS ? pool.neighbors[slot] : VID(EMPTY);
    i64 following = warp.shfl(key, SLAB_KEYS);
    bool live = lane < SLAB_KEYS && key >= 0;
    WEIGHT weight = live && weights ? weights[slot] : WEIGHT(0);
    u32 all = warp.ballot(live);  // and all lanes have loaded
    if (target == source) after = following;
    int at = filled + __popc(all & ((1u << lane) - 1));
    i64 to = at < SLAB_KEYS ? target * SLAB_STRIDE + at : after * SLAB_STRIDE + at - SLAB_KEYS;
    if (live && to != slot) {
      pool.neighbors[to] = key;
      if (weights) weights[to] = weight;
    }
    filled += __popc(all);
    if (filled > SLAB_KEYS) {
      filled -= SLAB_KEYS;
      target = after;
      after = target == source ? following : i64(pool.neighbors[target * SLAB_STRIDE + SLAB_KEYS]);
    }
    source = following;
    __syncwarp();
  }
  if (lane >= filled && lane < SLAB_WORDS) pool.neighbors[target * SLAB_STRIDE + lane] = EMPTY;
  while (after >= 0) {
    i64 following = pool.neighbors[after * SLAB_STRIDE + SLAB_KEYS];
    __syncwarp();
    if (lane < SLAB_WORDS) pool.neighbors[after * SLAB_STRIDE + lane] = EMPTY;
    if (lane == 0) give_slab(pool, after);
    after = following;
  }
}

constexpr int LANE_VECTORS = SLAB_VECTORS / 4, LANE_KEYS = LANE_VECTORS * VECTOR_KEYS;  // of a slab, for a lane of four

__device__ inline void load_slab(const Tile<4>& tile, const VID* words, Keys (&parts)[LANE_VECTORS]) {
  const Keys* vectors = reinterpret_cast<const Keys*>(words) + tile.lane;
#pragma unroll
  for (int j = 0; j < LANE_VECTORS; ++j) parts[j] = vectors[4 * j];
}

// A tile removes the tombstones from a chain of one slab, as most are: the last keys replace the deleted ones, so few
// are moved. Returns whether there are more slabs, and nothing was done.
__device__ inline bool compact_slab(const Tile<4>& tile, VID* words, WEIGHT* weights, const Keys (&parts)[LANE_VECTORS]) {
  if (tile.shfl(key_at(parts[LANE_VECTORS - 1], VECTOR_KEYS - 1), 3) >= 0) return true;
  u32 live = 0;  // by position
  bool dead = false;
#pragma unroll
  for (int i = 0; i < LANE_KEYS; ++i) {
    VID word = key_at(parts[i / VECTOR_KEYS], i % VECTOR_KEYS);
    live |= u32(word >= 0) << ((4 * (i / VECTOR_KEYS) + tile.lane) * VECTOR_KEYS + i % VECTOR_KEYS);
    dead |= word == TOMBSTONE;
  }
  if (!tile.ballot(dead)) return false;
  live = tile.reduce(live, Sum());  // of different bits
  u32 front = (1u << __popc(live)) - 1, behind = live & ~front, holes = front & ~live;  // as many of both
#pragma unroll 1
  for (int turn = 0; behind; ++turn, behind &= behind - 1, holes &= holes - 1) {
    if (turn % 4 != tile.lane) continue;
    int from = __ffs(int(behind)) - 1, to = __ffs(int(holes)) - 1;
    words[to] = words[from];
    if (weights) weights[to] = weights[from];
  }
  __syncwarp(tile.mask);
#pragma unroll
  for (int i = 0; i < LANE_KEYS; ++i) {
    int position = (4 * (i / VECTOR_KEYS) + tile.lane) * VECTOR_KEYS + i % VECTOR_KEYS;
    bool used = key_at(parts[i / VECTOR_KEYS], i % VECTOR_KEYS) != EMPTY;
    if (used && !(front >> position & 1)) words[position] = EMPTY;
  }
  return false;
}

// A warp processes 32 chains, whose tables its lanes search at the same time. Its tiles process chains of one slab, all
// of which are loaded before one is changed, and the warp processes longer ones one by one.
extern "C" __global__ void compact(
    i64 count, Pool pool, WEIGHT* weights, const i64* ids, i64 rows, const i64* offsets) {
  constexpr int TURNS = 4;
  Tile<32> warp;
  Tile<4> tile;
  int which = warp.lane / 4;
  WARP_CHAINS(first, count) {
    i64 item = first + warp.lane, start = -1, near = row_of_warp(warp, offsets, rows, first);
    if (item < count) {
      i64 row = row_of(offsets, near, rows, item);
      Record* record = pool.records + ids[row];
      if (item == offsets[row]) record->tombstones = 0;
      start = i64(record->base) + item - offsets[row];
    }
    Keys parts[TURNS][LANE_VECTORS];
    i64 slabs[TURNS];
#pragma unroll
    for (int turn = 0; turn < TURNS; ++turn) {
      slabs[turn] = warp.shfl(start, 8 * turn + which);
      if (slabs[turn] >= 0) load_slab(tile, pool.neighbors + slabs[turn] * SLAB_STRIDE, parts[turn]);
    }
    u32 longer = 0;  // chains of more than one slab
#pragma unroll
    for (int turn = 0; turn < TURNS; ++turn) {
      i64 slot = slabs[turn] * SLAB_STRIDE;
      bool more = slot >= 0 && compact_slab(tile, pool.neighbors + slot, weights ? weights + slot : nullptr, parts[turn]);
      longer |= __reduce_or_sync(0xffffffffu, more ? 1u << (8 * turn + which) : 0u);
    }
    for (; longer; longer &= longer - 1) compact_chain(warp, pool, weights, warp.shfl(start, __ffs(int(longer)) - 1));
  }
}

extern "C" __global__ void release(i64 count, Pool pool, const Record* records, i64 rows, const i64* offsets) {
  GRID_STRIDE(item, count) {
    i64 row = row_of(offsets, 0, rows, item);
    i64 slab = records[row].base + item - offsets[row];
    while (slab >= 0) {
      i64 following = pool.neighbors[slab * SLAB_STRIDE + SLAB_KEYS];
      clear_slab(pool, slab);
      give_slab(pool, slab);
      slab = following;
    }
  }
}
