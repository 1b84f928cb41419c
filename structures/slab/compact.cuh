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

// A tile moves the keys of a chain of one slab, which most are, to its front; returns whether there are more, and nothing was
// done. All keys are loaded before any is moved.
__device__ inline bool compact_slab(const Tile<4>& tile, const Pool& pool, WEIGHT* weights, i64 slab) {
  constexpr int LOADS = SLAB_VECTORS / 4;
  VID* words = pool.neighbors + slab * SLAB_STRIDE;
  const Keys* vectors = reinterpret_cast<const Keys*>(words) + tile.lane;
  Keys parts[LOADS];
#pragma unroll
  for (int j = 0; j < LOADS; ++j) parts[j] = vectors[4 * j];
  if (tile.shfl(key_at(parts[LOADS - 1], VECTOR_KEYS - 1), 3) >= 0) return true;
  int at[LOADS * VECTOR_KEYS], filled = 0;  // where keys go; -1 for other words
  bool dead = false;
#pragma unroll
  for (int j = 0; j < LOADS; ++j) {
    int live = 0;
#pragma unroll
    for (int c = 0; c < VECTOR_KEYS; ++c) {
      VID word = key_at(parts[j], c);
      live += word >= 0;
      dead |= word == TOMBSTONE;
    }
    int end = filled + lanes_inclusive<4>(live, tile.mask), next = end - live;
#pragma unroll
    for (int c = 0; c < VECTOR_KEYS; ++c) at[j * VECTOR_KEYS + c] = key_at(parts[j], c) >= 0 ? next++ : -1;
    filled = tile.shfl(end, 3);
  }
  if (!tile.ballot(dead)) return false;
  WEIGHT moved[LOADS * VECTOR_KEYS];
#pragma unroll
  for (int i = 0; i < LOADS * VECTOR_KEYS; ++i) {
    int position = (4 * (i / VECTOR_KEYS) + tile.lane) * VECTOR_KEYS + i % VECTOR_KEYS;
    if (at[i] == position) at[i] = -1;  // it stays
    if (weights && at[i] >= 0) moved[i] = weights[slab * SLAB_STRIDE + position];
  }
  __syncwarp(tile.mask);
#pragma unroll
  for (int i = 0; i < LOADS * VECTOR_KEYS; ++i) {
    int position = (4 * (i / VECTOR_KEYS) + tile.lane) * VECTOR_KEYS + i % VECTOR_KEYS;
    VID word = key_at(parts[i / VECTOR_KEYS], i % VECTOR_KEYS);
    if (at[i] >= 0) {
      words[at[i]] = word;
      if (weights) weights[slab * SLAB_STRIDE + at[i]] = moved[i];
    }
    if (position >= filled && word != EMPTY) words[position] = EMPTY;
  }
  return false;
}

// A warp takes 32 chains, whose tables its lanes look for at the same time. Its tiles take those of one slab, and all of it one
// by one those that are longer.
extern "C" __global__ void compact(
    i64 count, Pool pool, WEIGHT* weights, const i64* ids, i64 rows, const i64* offsets) {
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
    u32 longer = 0;  // chains of more than one slab
#pragma unroll
    for (int turn = 0; turn < 32; turn += 8) {
      i64 slab = warp.shfl(start, turn + which);
      bool more = slab >= 0 && compact_slab(tile, pool, weights, slab);
      longer |= __reduce_or_sync(0xffffffffu, more ? 1u << (turn + which) : 0u);
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
