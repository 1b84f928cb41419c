// Small batches, each in one launch: checked, expanded into arcs, applied, and the effective edges found. __init__.py is
// the host side; on the CPU batches of all sizes take the same way.
#pragma once
#include "frontier/cuda/small_batch.cuh"
#include "structures/slab/duplicate_table.cuh"
#include "structures/slab/keys.cuh"

// The fields of WORK of layout.py, in order.
struct Work {
  WEIGHT* weights;
  i64* slots;     // by arc: what became of it
  i64* table;     // of duplicates (duplicate_table.cuh), which holds all arcs of a small batch; EMPTY at first
  i64 table_size;
  i64* firsts;    // by entry of the table: the first arc that names the slot, if it was created now; EMPTY at first
  i64* recorded;
  i64 chain_limit;
};

// By one block that found the batch to be invalid: nothing has changed, and nothing will.
__device__ inline void publish_invalid(const Pool& pool) {
  if (blockIdx.x == 0 && threadIdx.x < COUNTERS) pool.published[threadIdx.x] = threadIdx.x == INVALID;
}

// The entry of a slot, or -1.
__device__ inline i64 entry_of(const Work& work, i64 slot) {
  i64 at = slot_hash(slot) & (work.table_size - 1), held = __ldcg(work.table + 2 * at);
  while (held != slot && held != EMPTY) {
    at = (at + 1) & (work.table_size - 1);
    held = __ldcg(work.table + 2 * at);
  }
  return held == slot ? at : -1;
}

// Resolves arcs that found their slot against those that created it, by one block. If `ordered`, the firsts are set.
__device__ inline void resolve_small(const Work& work, const Pool& pool, i64 arcs, bool ordered) {
  for (i64 k = threadIdx.x; k < arcs; k += blockDim.x) {
    i64 slot = __ldcg(work.slots + k);
    i64 at = slot < 0 ? -1 : entry_of(work, slot);
    if (at < 0) continue;
    atomicMax(work.table + 2 * at + 1, k);
    atomicAdd(pool.counters + REPEATED, 1ull);
    if (ordered) atomicMin(reinterpret_cast<u64*>(work.firsts + at), u64(k));
  }
  __syncthreads();
  if (!ordered) return;
  for (i64 k = threadIdx.x; k < arcs; k += blockDim.x) {
    i64 slot = __ldcg(work.slots + k);
    if (slot > -2) continue;
    i64 at = entry_of(work, -2 - slot);
    if (__ldcg(work.firsts + at) != EMPTY) atomicMin(reinterpret_cast<u64*>(work.firsts + at), u64(k));
  }
  __syncthreads();
}

// Gives each slot that several arcs name the weight of the last, and empties the table, by one block.
__device__ inline void commit_small(const Work& work, const Pool& pool, const SmallBatch& batch) {
  i64 count = i64(__ldcg(pool.counters + RECORDED));
  for (i64 j = threadIdx.x; j < count; j += blockDim.x) {
    i64 at = __ldcg(work.recorded + j);
    longlong2* entry = reinterpret_cast<longlong2*>(work.table) + at;
    longlong2 held = __ldcg(entry);
    if (work.weights) work.weights[held.x] = batch.weight(held.y);
    *entry = make_longlong2(EMPTY, EMPTY);
    work.firsts[at] = EMPTY;
  }
}

extern "C" __global__ void __launch_bounds__(SMALL_THREADS) insert_small(i64 count, SmallBatch batch, Work work, Pool pool) {
  if (!batch.is_valid()) {
    publish_invalid(pool);
    return;
  }
  __shared__ Stock stock;
  fill_stock(pool, stock, count / gridDim.x);
  batch.write_arcs();
  Tile<4> tile;
  u32 created = 0, found = 0, deferred = 0;  // in lane 0
  i64 spare = -1;                            // in lane 0
  TILE_STRIDE(k, count) {
    VID u, v;
    bool good = batch.arc(k, u, v);
    i64 outcome = good ? insert_key(tile, pool, stock, u, v, work.chain_limit, spare) : -1;
    if (tile.lane != 0) continue;
    work.slots[k] = outcome;
    if (outcome >= 0) {
      if (work.weights) work.weights[outcome] = batch.weight(k);
      atomicAdd(pool.counts(u), KEY_CAME);
      ++created;
    } else if (outcome == PENDING) {
      ++deferred;
    } else if (outcome != -1) {
      ++found;
      record_or_overflow(-2 - outcome, k, work.table, work.table_size, work.recorded, pool.counters);
    }
  }
  if (spare >= 0) give_slab(pool, spare);
  return_stock(pool, stock);
  report(pool, created, found, deferred);
  if (!is_last_block(pool)) return;
  u64* counters = pool.counters;
  if (!__ldcg(counters + DEFERRED) && !__ldcg(counters + OVERFULL)) {
    bool any_found = __ldcg(counters + FOUND);
    if (any_found) resolve_small(work, pool, count, batch.new_src);
    if (batch.new_src) {
      i64 effective = batch.write_edges([&](i64, i64 k, VID, VID) {
        i64 slot = __ldcg(work.slots + k);
        if (!any_found || slot == -1) return slot >= 0;
        i64 at = entry_of(work, slot >= 0 ? slot : -2 - slot);
        return at < 0 ? slot >= 0 : __ldcg(work.firsts + at) == k;
      });
      if (threadIdx.x == 0) counters[EFFECTIVE] = u64(effective);
      __syncthreads();
    }
    if (any_found) commit_small(work, pool, batch);
  }
  publish(pool);
}

extern "C" __global__ void __launch_bounds__(SMALL_THREADS) erase_small(i64 count, SmallBatch batch, Work, Pool pool) {
  if (!batch.is_valid()) {
    publish_invalid(pool);
    return;
  }
  Tile<4> tile;
  u32 erased = 0;  // in lane 0
  TILE_STRIDE(k, count) {
    VID u, v;
    bool good = batch.arc(k, u, v);
    i64 slot = good ? erase_key(tile, pool, u, v) : -1;  // in lane 0
    erased += tile.lane == 0 && slot >= 0;
  }
  report(pool, erased, 0, 0);
  if (is_last_block(pool)) publish(pool);
}

// Deletes what an insertion that did not end well has inserted. It has not changed any weight that was there.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) undo_small(i64 count, SmallBatch batch, Work work, Pool pool) {
  Tile<4> tile;
  u32 erased = 0;  // in lane 0
  TILE_STRIDE(k, count) {
    VID u, v;
    batch.arc(k, u, v);
    if (work.slots[k] >= 0) erased += erase_key(tile, pool, u, v) >= 0 && tile.lane == 0;
  }
  report(pool, erased, 0, 0);
  if (is_last_block(pool)) publish(pool);
}

// The effective edges of a deletion: those that are there. Equal ones meet in the table, which keeps the first of them: its
// largest index from the end.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) find_small(i64 count, SmallBatch batch, Work work, Pool pool) {
  if (!batch.is_valid()) {
    publish_invalid(pool);
    return;
  }
  batch.write_arcs();
  Tile<4> tile;
  TILE_STRIDE(e, batch.count) {
    VID u, v;
    i64 k = batch.notified(e, u, v);
    i64 slot = k < 0 ? -1 : find_key(tile, pool.records, pool.neighbors, u, v);
    if (tile.lane != 0) continue;
    work.slots[e] = slot;
    if (slot >= 0) record_or_overflow(slot, SMALL_BATCH - e, work.table, work.table_size, work.recorded, pool.counters);
  }
  if (!is_last_block(pool)) return;
  u64* counters = pool.counters;
  if (!__ldcg(counters + OVERFULL)) {
    i64 effective = batch.write_edges([&](i64 e, i64, VID, VID) {
      i64 slot = __ldcg(work.slots + e);
      return slot >= 0 && __ldcg(work.table + 2 * entry_of(work, slot) + 1) == SMALL_BATCH - e;
    });
    if (threadIdx.x == 0) counters[EFFECTIVE] = u64(effective);
    __syncthreads();
    i64 recorded = i64(__ldcg(counters + RECORDED));
    for (i64 j = threadIdx.x; j < recorded; j += blockDim.x)
      reinterpret_cast<longlong2*>(work.table)[__ldcg(work.recorded + j)] = make_longlong2(EMPTY, EMPTY);
  }
  publish(pool);
}
