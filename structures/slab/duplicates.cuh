// Duplicates: arcs of a batch that name the same slot, of which the last counts. Duplicates of existing arcs are
// recorded (duplicate_table.cuh), during an insertion of few arcs and otherwise after it. Then they are resolved
// against arcs that created a slot, and the winners are committed.
#pragma once
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/core/batch/slot_filter.cuh"
#include "structures/slab/duplicate_table.cuh"

// Records all duplicates of existing arcs, and adds their slots to a filter, if there is one. A block draws tickets for
// all of its threads at once: separate ones would all contend for the same counter.
__device__ inline void record_tiles(
    i64 count, const Pool& pool, const i64* slots, i64* table, i64 table_size, i64* recorded, u32* filter) {
  __shared__ i64 first;
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, at = -1, here;
    bool is_new = false;
    if (i < count && slots[i] <= -2) {
      at = enter(-2 - slots[i], i, table, table_size, table_size, is_new);
      if (filter && is_new) filter_add(filter, -2 - slots[i]);
    }
    i64 rank = block_exclusive(i64(is_new), here);
    if (threadIdx.x == 0) first = here ? i64(atomicAdd(pool.counters + RECORDED, u64(here))) : 0;
    __syncthreads();
    if (is_new) recorded[first + rank] = at;
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(TILE) record_duplicates(
    i64 count, Pool pool, const i64* slots, i64* table, i64 table_size, i64* recorded) {
  record_tiles(count, pool, slots, table, table_size, recorded, nullptr);
}

// Whether arc i created a slot that others found. It is the last that names the slot then, unless one of these is.
__device__ inline bool resolve_duplicate(i64 i, const i64* slots, i64* table, i64 table_size, const u32* filter = nullptr) {
  i64 slot = __ldcg(slots + i);
  if (slot < 0 || (filter && !filter_may_hold(filter, slot))) return false;
  i64 at = slot_hash(slot) & (table_size - 1), held = __ldcg(table + 2 * at);
  while (held != slot && held != EMPTY) {
    at = (at + 1) & (table_size - 1);
    held = __ldcg(table + 2 * at);
  }
  if (held == slot) atomicMax(table + 2 * at + 1, i);
  return held == slot;
}

// Resolves this thread's share of `count` arcs, the first of which is `first`, each `stride` after the one before. By
// whole warps.
__device__ inline void resolve_share(
    i64 first, i64 stride, i64 count, const i64* slots, i64* table, i64 table_size, u64* counters,
    const u32* filter = nullptr) {
  u32 repeated = 0;
  for (i64 i = first; i < count; i += stride) repeated += resolve_duplicate(i, slots, table, table_size, filter);
  repeated = __reduce_add_sync(0xffffffffu, repeated);
  if ((threadIdx.x & 31) == 0 && repeated) atomicAdd(counters + REPEATED, u64(repeated));
}

// Commits all recorded duplicates, by one block.
__device__ inline void commit_all(const Pool& pool, WEIGHT* weights, const WEIGHT* new_weights, i64* table, const i64* recorded) {
  i64 count = i64(__ldcg(pool.counters + RECORDED));
  for (i64 k = threadIdx.x; k < count; k += blockDim.x) commit_entry(__ldcg(recorded + k), weights, new_weights, table);
}

// (With `finish`, the CPU's does what resolve_batch does here.)
extern "C" __global__ void resolve_duplicates(
    i64 count, Pool pool, WEIGHT* weights, const WEIGHT* new_weights, const i64* slots, i64* table, i64 table_size,
    const i64* recorded, bool finish) {
  resolve_share(
      i64(blockIdx.x) * blockDim.x + threadIdx.x, i64(gridDim.x) * blockDim.x, count, slots, table, table_size, pool.counters);
}

extern "C" __global__ void commit_duplicates(
    i64 count, Pool pool, WEIGHT* weights, const WEIGHT* new_weights, i64* table, const i64* recorded) {
  GRID_STRIDE(k, count) commit_entry(recorded[k], weights, new_weights, table);
}

// Records, resolves and commits the duplicates of a batch that was inserted whole, and publishes, or reports that they
// are too many for the table. Does nothing if insert has published. Grid-cooperative. The barrier uses the word behind
// the filter.
extern "C" __global__ void __launch_bounds__(TILE, 2) resolve_batch(
    i64 count, Pool pool, WEIGHT* weights, const WEIGHT* new_weights, const i64* slots, i64* table, i64 table_size,
    i64* recorded, u32* filter) {
  u64* counters = pool.counters;
  u64 found = __ldcg(counters + FOUND);
  if (!found) return;
  i64 thread = i64(blockIdx.x) * blockDim.x + threadIdx.x, threads = i64(gridDim.x) * blockDim.x;
  bool fits = i64(found) <= table_size / 2;
  if (fits) {
    u32 barrier = 0;
    record_tiles(count, pool, slots, table, table_size, recorded, filter);
    grid_barrier(filter + FILTER_WORDS, barrier);
    resolve_share(thread, threads, count, slots, table, table_size, counters, filter);
    grid_barrier(filter + FILTER_WORDS, barrier);
    for (i64 k = thread, end = i64(__ldcg(counters + RECORDED)); k < end; k += threads)
      commit_entry(__ldcg(recorded + k), weights, new_weights, table);
  }
  if (!is_last_block(pool)) return;
  if (fits) {
    filter_clear(filter);
    if (threadIdx.x == 0) filter[FILTER_WORDS] = 0;
  } else if (threadIdx.x == 0) {
    counters[OVERFULL] = 1;
  }
  publish(pool);
}
