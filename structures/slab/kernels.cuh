// CUDA kernels of the slab graph. See cpu.py for each. Macros: VID, WEIGHT, SLAB_WORDS, SLAB_STRIDE.
//
// Four lanes work on an arc, eight arcs to a warp (keys.cuh).
#pragma once
#include "structures/slab/duplicates.cuh"
#include "structures/slab/compact.cuh"
#include "structures/slab/keys.cuh"
#include "structures/slab/rows.cuh"
#include "structures/slab/tables.cuh"
#include "structures/slab/view.cuh"

__device__ inline bool is_bad(const u64* error_counts) { return error_counts && (error_counts[0] | error_counts[1] | error_counts[2]); }

extern "C" __global__ void find_arcs(i64 count, View view, const VID* src, const VID* dst, i64* slots) {
  Tile<4> tile;
  TILE_STRIDE(i, count) {
    i64 slot = find_key(tile, view.records, view.neighbors, src[i], dst[i]);
    if (tile.lane == 0) slots[i] = slot;
  }
}

extern "C" __global__ void __launch_bounds__(256, 6) insert(
    i64 count, Pool pool, WEIGHT* weights, const u64* error_counts, const i64* which, const VID* src, const VID* dst,
    const WEIGHT* new_weights, i64 chain_limit, i64* slots, i64* table, i64 table_size, i64* recorded, bool finish) {
  if (is_bad(error_counts)) return;
  __shared__ Stock stock;
  fill_stock(pool, stock, count / gridDim.x);
  Tile<4> tile;
  u32 created = 0, found = 0, deferred = 0;  // in lane 0
  i64 spare = -1;                            // in lane 0
  TILE_STRIDE(k, count) {
    i64 i = which ? which[k] : k;
    VID u = src[i], key = dst[i];
    if (u < 0) {
      if (tile.lane == 0) slots[i] = -1;
      continue;
    }
    i64 outcome = insert_key(tile, pool, stock, u, key, chain_limit, spare);
    if (tile.lane == 0) {
      slots[i] = outcome;
      if (outcome >= 0) {
        if (weights) weights[outcome] = new_weights[i];
        atomicAdd(pool.counts(u), KEY_CAME);
        ++created;
      } else if (outcome == PENDING) {
        ++deferred;
      } else {
        ++found;
        if (table_size) record_or_overflow(-2 - outcome, i, table, table_size, recorded, pool.counters);
      }
    }
  }
  if (spare >= 0) give_slab(pool, spare);
  return_stock(pool, stock);
  report(pool, created, found, deferred);
  if (!is_last_block(pool)) return;
  u64* counters = pool.counters;
  bool is_whole = !__ldcg(counters + DEFERRED) && !__ldcg(counters + OVERFULL);
  if (table && is_whole && __ldcg(counters + FOUND)) {
    if (!finish) {  // resolve_batch will publish
      if (threadIdx.x == 0) counters[DONE] = 0;
      return;
    }
    resolve_share(threadIdx.x, blockDim.x, count, slots, table, table_size, counters);
    __syncthreads();
    commit_all(pool, weights, new_weights, table, recorded);
  }
  publish(pool);
}

extern "C" __global__ void locate(
    i64 count, View view, const bool* moved, const VID* src, const VID* dst, i64* slots) {
  GRID_STRIDE(i, count) {
    if (src[i] < 0 || !moved[src[i]]) continue;
    if (slots[i] >= 0) slots[i] = view.find(src[i], dst[i]);
    else if (slots[i] <= -2) slots[i] = -2 - view.find(src[i], dst[i]);
  }
}

// Among several equal arcs, the one whose swap succeeds counts.
extern "C" __global__ void __launch_bounds__(256, 6) erase(
    i64 count, Pool pool, const u64* error_counts, const VID* src, const VID* dst, const i64* chosen, i64* slots) {
  if (is_bad(error_counts)) return;
  Tile<4> tile;
  u32 erased = 0;  // in lane 0
  TILE_STRIDE(i, count) {
    VID u = src[i], key = dst[i];
    bool wanted = u >= 0 && !(chosen && chosen[i] < 0);
    i64 slot = wanted ? erase_key(tile, pool, u, key) : -1;  // in lane 0
    erased += tile.lane == 0 && slot >= 0;
    if (slots && tile.lane == 0) slots[i] = slot;
  }
  report(pool, erased, 0, 0);
  if (is_last_block(pool)) publish(pool);
}
