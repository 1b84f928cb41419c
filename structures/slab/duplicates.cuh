// Duplicates: arcs of a batch that name the same slot. A hash table by slot keeps the last of them. Duplicates of existing
// arcs are recorded during an insertion, then resolved against arcs that created a slot, and the winners are committed.
//
// Entry e of a table is two words: table[2 e] the slot or EMPTY, table[2 e + 1] the largest index of an arc; both are
// EMPTY at first.
#pragma once
#include "structures/slab/pool.cuh"

__device__ inline i64 slot_hash(i64 slot) { return i64((u64(slot) * 0x9E3779B97F4A7C15ull) >> 32); }

// Records that arc i names the slot, in at most `patience` probes; false if the table is too full for that. A table
// more than half full is reported as overfull.
__device__ inline bool record_duplicate(
    i64 slot, i64 i, i64* table, i64 table_size, i64* recorded, u64* counters, i64 patience) {
  i64 at = slot_hash(slot) & (table_size - 1);
  for (i64 step = 0; step < patience; ++step) {
    i64 held = __ldcg(table + 2 * at);
    if (held == EMPTY) {
      held = compare_and_swap(table + 2 * at, i64(EMPTY), slot);
      if (held == EMPTY) {
        i64 turn = ticket(counters + RECORDED);
        recorded[turn] = at;
        if (turn >= table_size / 2) counters[OVERFULL] = 1;
        held = slot;
      }
    }
    if (held == slot) {
      atomicMax(table + 2 * at + 1, i);
      return true;
    }
    at = (at + 1) & (table_size - 1);
  }
  return false;
}

// The same for a table that may be too small; once it is overfull, threads stop recording, and the host sees it.
__device__ inline void record_or_overflow(i64 slot, i64 i, i64* table, i64 table_size, i64* recorded, u64* counters) {
  if (__ldcg(counters + OVERFULL)) return;
  if (!record_duplicate(slot, i, table, table_size, recorded, counters, 32)) counters[OVERFULL] = 1;
}

__device__ inline void commit_entry(i64 at, WEIGHT* weights, const WEIGHT* new_weights, i64* table) {
  longlong2* entry = reinterpret_cast<longlong2*>(table) + at;
  longlong2 held = __ldcg(entry);
  if (weights) weights[held.x] = new_weights[held.y];
  *entry = make_longlong2(EMPTY, EMPTY);
}

extern "C" __global__ void record_duplicates(i64 count, Pool pool, const i64* slots, i64* table, i64 table_size, i64* recorded) {
  GRID_STRIDE(i, count) {
    i64 slot = -2 - slots[i];
    if (slots[i] <= -2) record_duplicate(slot, i, table, table_size, recorded, pool.counters, table_size);
  }
}

// Arc i, if it created a slot that others found.
__device__ inline void resolve_duplicate(i64 i, const i64* slots, i64* table, i64 table_size, u64* counters) {
  i64 slot = __ldcg(slots + i);
  if (slot < 0) return;
  i64 at = slot_hash(slot) & (table_size - 1), held = __ldcg(table + 2 * at);
  while (held != slot && held != EMPTY) {
    at = (at + 1) & (table_size - 1);
    held = __ldcg(table + 2 * at);
  }
  if (held == slot) {
    atomicMax(table + 2 * at + 1, i);
    atomicAdd(counters + REPEATED, 1ull);
  }
}

// Commits all that was recorded; by one block.
__device__ inline void commit_all(const Pool& pool, WEIGHT* weights, const WEIGHT* new_weights, i64* table, const i64* recorded) {
  i64 count = i64(__ldcg(pool.counters + RECORDED));
  for (i64 k = threadIdx.x; k < count; k += blockDim.x) commit_entry(__ldcg(recorded + k), weights, new_weights, table);
}

extern "C" __global__ void resolve_duplicates(
    i64 count, Pool pool, WEIGHT* weights, const WEIGHT* new_weights, const i64* slots, i64* table, i64 table_size,
    const i64* recorded, bool finish) {
  u64* counters = pool.counters;
  if (finish && (counters[FOUND] == 0 || counters[DEFERRED] || counters[OVERFULL])) return;  // insert has published
  GRID_STRIDE(i, count) resolve_duplicate(i, slots, table, table_size, counters);
  if (!finish || !is_last_block(pool)) return;
  commit_all(pool, weights, new_weights, table, recorded);
  publish(pool);
}

extern "C" __global__ void commit_duplicates(
    i64 count, Pool pool, WEIGHT* weights, const WEIGHT* new_weights, i64* table, const i64* recorded) {
  GRID_STRIDE(k, count) commit_entry(recorded[k], weights, new_weights, table);
}
