// Taking out tombstones, and whole tables.
#pragma once
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

// A warp takes 32 chains, whose tables its lanes look for at the same time.
extern "C" __global__ void compact(
    i64 count, Pool pool, WEIGHT* weights, const i64* ids, i64 rows, const i64* offsets) {
  Tile<32> warp;
  WARP_CHAINS(first, count) {
    i64 item = first + warp.lane, start = -1;
    if (item < count) {
      i64 row = row_of(offsets, 0, rows, item);
      Record* record = pool.records + ids[row];
      if (item == offsets[row]) record->tombstones = 0;
      start = i64(record->base) + item - offsets[row];
    }
    for (int k = 0; k < 32 && first + k < count; ++k) compact_chain(warp, pool, weights, warp.shfl(start, k));
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
