// Small batches, checked, expanded into arcs, applied and their effective edges found by one kernel, or by two if they
// are large. __init__.py is the host side. On the CPU batches of all sizes go the same way.
//
// Arcs are checked one by one, as they are applied. If one is invalid, or finds no slab, the host undoes the others.
#pragma once
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/cuda/small_batch.cuh"
#include "frontier/core/batch/slot_filter.cuh"
#include "structures/slab/duplicate_table.cuh"
#include "structures/slab/keys.cuh"

// The fields of WORK of layout.py, in order.
struct Work {
  WEIGHT* weights;
  i64* slots;     // by arc: the slot that it created or deleted, -2 - its entry in the table, or -1
  i64* table;     // of duplicates (duplicate_table.cuh), at most half full with all arcs of the batch, EMPTY at first
  i64 table_size;
  i64* firsts;    // by entry: the first arc that names the slot, if it is an effective edge's, EMPTY at first
  u32* filter;    // of the slots in the table, if the batch is large, then a word for barriers, all zero at first
  i64* sums;      // by block: effective edges
  i64 chain_limit;
};

// Whether a kernel of the whole grid finishes a batch that is too long for one block.
__device__ inline bool is_large(const SmallBatch& batch) { return batch.count > SMALL_BATCH; }

// Who finishes a batch: the last block of a kernel, or all of a cooperative one.
struct OneBlock {
  __device__ i64 first() const { return threadIdx.x; }
  __device__ i64 stride() const { return blockDim.x; }
  __device__ i64 index() const { return 0; }
  __device__ i64 blocks() const { return 1; }
  __device__ void wait() { __syncthreads(); }
};
struct WholeGrid {
  u32* arrived;
  u32 target;
  __device__ i64 first() const { return i64(blockIdx.x) * blockDim.x + threadIdx.x; }
  __device__ i64 stride() const { return i64(gridDim.x) * blockDim.x; }
  __device__ i64 index() const { return blockIdx.x; }
  __device__ i64 blocks() const { return gridDim.x; }
  __device__ void wait() { grid_barrier(arrived, target); }
};

// The entry of a slot, or -1.
__device__ inline i64 entry_of(const Work& work, i64 slot) {
  i64 at = slot_hash(slot) & (work.table_size - 1), held = __ldcg(work.table + 2 * at);
  while (held != slot && held != EMPTY) {
    at = (at + 1) & (work.table_size - 1);
    held = __ldcg(work.table + 2 * at);
  }
  return held == slot ? at : -1;
}

// Enters arc k, which found a slot, into the table. Returns its entry. `is_new` if it is the first there.
__device__ inline i64 enter_small(const Work& work, const SmallBatch& batch, i64 slot, i64 k, bool& is_new) {
  i64 at = enter(slot, k, work.table, work.table_size, work.table_size, is_new);
  if (is_new && is_large(batch)) filter_add(work.filter, slot);
  return at;
}

// Enters the arcs whose new slots other arcs found. If `ordered`, these entries get the first arc that names them.
template <class Team>
__device__ void enter_creators(
    Team& team, const Work& work, const Pool& pool, const SmallBatch& batch, i64 arcs, bool ordered) {
  u32 entered = 0;
  for (i64 k = team.first(); k < arcs; k += team.stride()) {
    i64 slot = __ldcg(work.slots + k);
    if (slot < 0 || (is_large(batch) && !filter_may_hold(work.filter, slot))) continue;
    i64 at = entry_of(work, slot);
    if (at < 0) continue;
    atomicMax(work.table + 2 * at + 1, k);
    if (ordered) atomicMin(reinterpret_cast<u64*>(work.firsts + at), u64(k));
    work.slots[k] = -2 - at;
    ++entered;
  }
  entered = __reduce_add_sync(0xffffffffu, entered);
  if ((threadIdx.x & 31) == 0 && entered) atomicAdd(pool.counters + REPEATED, u64(entered));
  team.wait();
  if (!ordered) return;
  for (i64 k = team.first(); k < arcs; k += team.stride()) {
    i64 at = -2 - __ldcg(work.slots + k);
    if (at >= 0 && __ldcg(work.firsts + at) != EMPTY) atomicMin(reinterpret_cast<u64*>(work.firsts + at), u64(k));
  }
  team.wait();
}

// Writes the effective edges: of arcs that created a slot by themselves, and of the first arc that names each entry.
template <class Team>
__device__ void write_effective(Team& team, const Work& work, const Pool& pool, const SmallBatch& batch) {
  auto kept = [&](i64, i64 k, VID, VID) {
    i64 slot = __ldcg(work.slots + k);
    return slot >= 0 || (slot != -1 && __ldcg(work.firsts - 2 - slot) == k);
  };
  i64 each = (batch.count + team.blocks() - 1) / team.blocks(), begin = each * team.index(), before = 0;
  i64 end = begin + each < batch.count ? begin + each : batch.count;
  if (team.blocks() > 1) {
    i64 mine = batch.count_edges(begin, end, kept);
    if (threadIdx.x == 0) work.sums[team.index()] = mine;
    team.wait();
    i64 part = 0;
    for (i64 b = threadIdx.x; b < team.index(); b += blockDim.x) part += __ldcg(work.sums + b);
    block_exclusive(part, before);
  }
  i64 written = batch.write_edges(begin, end, before, kept);
  if (threadIdx.x == 0) atomicAdd(pool.counters + EFFECTIVE, u64(written));
  team.wait();
}

// Gives each slot in the table the weight of the last arc that names it, if the batch is inserted, and empties the table.
template <class Team>
__device__ void commit_small(Team& team, const Work& work, const SmallBatch& batch, i64 arcs, bool inserts) {
  for (i64 k = team.first(); k < arcs; k += team.stride()) {
    i64 at = -2 - __ldcg(work.slots + k);
    if (at < 0) continue;
    longlong2* entry = reinterpret_cast<longlong2*>(work.table) + at;
    longlong2 held = __ldcg(entry);
    if (held.y != k) continue;  // of another arc, or empty already
    if (inserts && work.weights) work.weights[held.x] = batch.weight(k);
    *entry = make_longlong2(EMPTY, EMPTY);
    work.firsts[at] = EMPTY;
  }
}

// All that remains to be done for a batch of which every arc was applied or found.
template <class Team>
__device__ void finish_batch(Team team, const Work& work, const Pool& pool, const SmallBatch& batch, bool inserts) {
  i64 arcs = batch.arcs();
  bool any_found = __ldcg(pool.counters + FOUND);
  if (any_found && inserts) enter_creators(team, work, pool, batch, arcs, batch.new_src);
  if (batch.new_src) write_effective(team, work, pool, batch);
  if (any_found) commit_small(team, work, batch, arcs, inserts);
}

// The end of a kernel that applies or finds: its last block finishes the batch, unless that remains to be done by
// `finish_small`, and hands the counters to the host.
__device__ inline void end_small(const Work& work, const Pool& pool, const SmallBatch& batch, bool inserts) {
  if (!is_last_block(pool)) return;
  u64* counters = pool.counters;
  bool is_whole = !__ldcg(counters + INVALID) && !__ldcg(counters + DEFERRED);
  bool any = __ldcg(counters + FOUND) || (batch.new_src && __ldcg(counters + CHANGED));
  if (is_whole && any) {
    if (is_large(batch)) {
      if (threadIdx.x == 0) counters[DONE] = 0;
      return;
    }
    finish_batch(OneBlock(), work, pool, batch, inserts);
  }
  publish(pool);
}

// Finishes a large batch, unless the kernel before has published. Grid-cooperative.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS, 2) finish_small(
    i64 count, SmallBatch batch, Work work, Pool pool, bool inserts) {
  if (!__ldcg(pool.counters + FOUND) && !__ldcg(pool.counters + CHANGED)) return;
  u32* arrived = work.filter + FILTER_WORDS;
  finish_batch(WholeGrid{arrived, 0}, work, pool, batch, inserts);
  if (!is_last_block(pool)) return;
  filter_clear(work.filter);
  if (threadIdx.x == 0) *arrived = 0;
  publish(pool);
}

extern "C" __global__ void __launch_bounds__(SMALL_THREADS, 6) insert_small(i64 count, SmallBatch batch, Work work, Pool pool) {
  __shared__ Stock stock;
  fill_stock(pool, stock, count / gridDim.x);
  batch.write_arcs();
  Tile<4> tile;
  u32 created = 0, found = 0, deferred = 0;  // in lane 0: existing slots
  i64 spare = -1;                            // in lane 0
  TILE_STRIDE(k, count) {
    VID u, v;
    bool valid = batch.is_valid(batch.edge(k)), good = batch.arc(k, u, v) && valid;
    i64 outcome = good ? insert_key(tile, pool, stock, u, v, work.chain_limit, spare) : -1;
    if (tile.lane != 0) continue;
    if (!valid) pool.counters[INVALID] = 1;
    if (outcome >= 0) {
      if (work.weights) work.weights[outcome] = batch.weight(k);
      atomicAdd(pool.counts(u), KEY_CAME);
      ++created;
    } else if (outcome == PENDING) {
      ++deferred;
      outcome = -1;
    } else if (outcome != -1) {
      bool is_new = false;
      outcome = -2 - enter_small(work, batch, -2 - outcome, k, is_new);
      found += is_new;
    }
    work.slots[k] = outcome;
  }
  if (spare >= 0) give_slab(pool, spare);
  return_stock(pool, stock);
  report(pool, created, found, deferred);
  end_small(work, pool, batch, true);
}

// Undoes an insertion or a search that failed: deletes the new arcs, and empties the table and the filter. No existing
// weight has changed.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) undo_small(i64 count, SmallBatch batch, Work work, Pool pool) {
  Tile<4> tile;
  u32 erased = 0;  // in lane 0
  TILE_STRIDE(k, count) {
    VID u, v;
    i64 slot = work.slots[k];
    batch.arc(k, u, v);
    if (slot >= 0) erased += erase_key(tile, pool, u, v) >= 0 && tile.lane == 0;
    if (slot >= -1 || tile.lane != 0) continue;
    reinterpret_cast<longlong2*>(work.table)[-2 - slot] = make_longlong2(EMPTY, EMPTY);
    work.firsts[-2 - slot] = EMPTY;
  }
  report(pool, erased, 0, 0);
  if (!is_last_block(pool)) return;
  filter_clear(work.filter);
  publish(pool);
}

extern "C" __global__ void __launch_bounds__(SMALL_THREADS, 6) erase_small(i64 count, SmallBatch batch, Work work, Pool pool) {
  Tile<4> tile;
  u32 erased = 0;  // in lane 0
  TILE_STRIDE(k, count) {
    VID u, v;
    bool valid = batch.is_valid(batch.edge(k)), good = batch.arc(k, u, v) && valid;
    i64 slot = good ? erase_key(tile, pool, u, v) : -1;  // in lane 0
    if (tile.lane != 0) continue;
    if (!valid) pool.counters[INVALID] = 1;
    erased += slot >= 0;
    work.slots[k] = slot;
  }
  report(pool, erased, 0, 0);
  if (is_last_block(pool)) publish(pool);
}

// Undoes an invalid deletion: the keys return to their slots, which still have their weights.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) restore_small(i64 count, SmallBatch batch, Work work, Pool pool) {
  GRID_STRIDE(k, count) {
    i64 slot = work.slots[k];
    if (slot < 0) continue;
    VID u, v;
    batch.arc(k, u, v);
    pool.neighbors[slot] = v;
    atomicAdd(pool.counts(u), 0ull - KEY_LEFT);
  }
  if (is_last_block(pool)) publish(pool);
}

// Finds the effective edges of a deletion: the existing ones.
extern "C" __global__ void __launch_bounds__(SMALL_THREADS) find_small(i64 count, SmallBatch batch, Work work, Pool pool) {
  batch.write_arcs();
  Tile<4> tile;
  u32 found = 0;  // in lane 0
  TILE_STRIDE(e, batch.count) {
    VID u, v;
    bool valid = batch.is_valid(e);
    i64 k = batch.notified(e, u, v), slot = -1;
    if (k >= 0 && valid) slot = find_key(tile, pool.records, pool.neighbors, u, v);
    if (tile.lane != 0) continue;
    if (!valid) pool.counters[INVALID] = 1;
    if (batch.both) work.slots[2 * e] = work.slots[2 * e + 1] = -1;
    else work.slots[e] = -1;
    if (slot < 0) continue;
    bool is_new = false;
    i64 at = enter_small(work, batch, slot, k, is_new);
    atomicMin(reinterpret_cast<u64*>(work.firsts + at), u64(k));
    work.slots[k] = -2 - at;
    found += is_new;
  }
  report(pool, 0, found, 0);
  end_small(work, pool, batch, false);
}
