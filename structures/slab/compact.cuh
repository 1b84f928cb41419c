// Taking out tombstones, and whole tables.
#pragma once
#include "structures/slab/pool.cuh"

// A warp moves the keys of a chain to its front, slab by slab: the target is never ahead of the source.
extern "C" __global__ void compact(
    i64 count, Pool pool, WEIGHT* weights, const i64* ids, i64 rows, const i64* offsets) {
  Tile<32> warp;
  int lane = warp.lane;
  for (i64 item = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 32; item < count;
       item += i64(gridDim.x) * blockDim.x / 32) {
    i64 row = row_of(offsets, 0, rows, item);
    Record* record = pool.records + ids[row];
    if (lane == 0 && item == offsets[row]) record->tombstones = 0;
    i64 source = i64(record->base) + item - offsets[row], target = source;
    int filled = 0;  // keys in the target slab
    while (source >= 0) {
      i64 slot = source * SLAB_STRIDE + lane;
      VID key = lane < SLAB_WORDS ? pool.neighbors[slot] : VID(EMPTY);
      i64 following = warp.shfl(key, SLAB_KEYS);
      bool live = lane < SLAB_KEYS && key >= 0;
      WEIGHT weight = live && weights ? weights[slot] : WEIGHT(0);
      u32 all = warp.ballot(live);  // and all lanes have loaded
      i64 after = pool.neighbors[target * SLAB_STRIDE + SLAB_KEYS];
      int at = filled + __popc(all & ((1u << lane) - 1));
      if (live) {
        i64 to = at < SLAB_KEYS ? target * SLAB_STRIDE + at : after * SLAB_STRIDE + at - SLAB_KEYS;
        pool.neighbors[to] = key;
        if (weights) weights[to] = weight;
      }
      filled += __popc(all);
      if (filled > SLAB_KEYS) {
        filled -= SLAB_KEYS;
        target = after;
      }
      source = following;
      __syncwarp();
    }
    i64 spare = pool.neighbors[target * SLAB_STRIDE + SLAB_KEYS];
    __syncwarp();
    if (lane >= filled && lane < SLAB_WORDS) pool.neighbors[target * SLAB_STRIDE + lane] = EMPTY;
    while (spare >= 0) {
      i64 following = pool.neighbors[spare * SLAB_STRIDE + SLAB_KEYS];
      __syncwarp();
      if (lane < SLAB_WORDS) pool.neighbors[spare * SLAB_STRIDE + lane] = EMPTY;
      if (lane == 0) give_slab(pool, spare);
      spare = following;
    }
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
