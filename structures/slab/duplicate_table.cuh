// A hash table by slot, with the last of the arcs of a batch that name the same slot.
//
// Entry e of a table is two words: table[2 e] the slot or EMPTY, table[2 e + 1] the largest index of an arc. Both are
// EMPTY at first.
#pragma once
#include "structures/slab/pool.cuh"

__device__ inline i64 slot_hash(i64 slot) { return i64((u64(slot) * 0x9E3779B97F4A7C15ull) >> 32); }

// The entry of a slot, made at its first use, with i as an arc that names it. -1 if `patience` probes found no free
// entry.
__device__ inline i64 enter(i64 slot, i64 i, i64* table, i64 table_size, i64 patience, bool& is_new) {
  i64 at = slot_hash(slot) & (table_size - 1);
  for (i64 step = 0; step < patience; ++step) {
    i64 held = __ldcg(table + 2 * at);
    if (held == EMPTY) {
      held = compare_and_swap(table + 2 * at, i64(EMPTY), slot);
      is_new = held == EMPTY;
    }
    if (is_new || held == slot) {
      atomicMax(table + 2 * at + 1, i);
      return at;
    }
    at = (at + 1) & (table_size - 1);
  }
  return -1;
}

// Records that arc i names the slot, in a table that may be too small. Once it is more than half full, threads stop
// recording, and the host sees that it is overfull.
__device__ inline void record_or_overflow(i64 slot, i64 i, i64* table, i64 table_size, i64* recorded, u64* counters) {
  if (__ldcg(counters + OVERFULL)) return;
  bool is_new = false;
  i64 at = enter(slot, i, table, table_size, 32, is_new);
  if (at < 0) counters[OVERFULL] = 1;
  if (!is_new) return;
  i64 turn = ticket(counters + RECORDED);
  recorded[turn] = at;
  if (turn >= table_size / 2) counters[OVERFULL] = 1;
}

__device__ inline void commit_entry(i64 at, WEIGHT* weights, const WEIGHT* new_weights, i64* table) {
  longlong2* entry = reinterpret_cast<longlong2*>(table) + at;
  longlong2 held = __ldcg(entry);
  if (weights) weights[held.x] = new_weights[held.y];
  *entry = make_longlong2(EMPTY, EMPTY);
}
