// Planning of tables: which become crowded, how rows and chains of tables follow each other, and what records new
// tables have. The host side is on_gpu.py, which names the tallies likewise. on_cpu.py has the same by NumPy.
#pragma once
#include "frontier/cuda/scan_tiles.cuh"
#include "structures/slab/pool.cuh"

enum { DISTINCT_TALLY, CROWDED_TALLY, BOUND_TALLY };
enum { KEYS_TALLY, CHAINS_TALLY, DEAD_TALLY };
enum { SLABS_TALLY, WITHOUT_TALLY };
enum { OVERFLOW_TALLY, LISTED_TALLY = 0 };

// Adds up a number of each thread of a block into a tally.
__device__ inline void tally_sum(u64* tally, i64 value) {
  i64 total;
  block_exclusive(value, total);
  if (threadIdx.x == 0 && total) atomicAdd(tally, u64(total));
}

extern "C" __global__ void list_deferred(i64 count, const i64* slots, i64* positions, u64* tally) {
  GRID_STRIDE(i, count)
    if (slots[i] == -0x7fffffffffffffffll - 1) positions[ticket(tally + LISTED_TALLY)] = i;
}

// Counts the new arcs of each vertex, and lists these vertices.
extern "C" __global__ void count_coming(
    i64 count, const i64* positions, const VID* src, int* coming, i64* ids, u64* tally) {
  GRID_STRIDE(k, count) {
    VID u = src[positions[k]];
    if (atomicAdd(coming + u, 1) == 0) ids[ticket(tally + DISTINCT_TALLY)] = u;
  }
}

// The tables that would have more than `most` keys for each bucket. `count` is an upper bound of the distinct vertices.
extern "C" __global__ void find_crowded(
    i64 count, const i64* ids, const int* coming, const Record* records, double most, bool* moved, i64* crowded_ids,
    int* crowded_coming, u64* tally) {
  i64 distinct = i64(tally[DISTINCT_TALLY]), bound = 0;
  GRID_STRIDE(k, distinct) {
    i64 u = ids[k], arriving = coming[u];
    Record record = load_record(records, u);
    i64 live = record.degree, buckets = record.buckets;
    if (double(live + record.tombstones + arriving) > most * double(buckets)) {
      i64 at = ticket(tally + CROWDED_TALLY);
      crowded_ids[at] = u;
      crowded_coming[at] = int(arriving);
      moved[u] = true;
      bound += (live + arriving) / SLAB_KEYS;
    } else {
      i64 spread = buckets + arriving / SLAB_KEYS;
      bound += arriving < spread ? arriving : spread;
    }
  }
  tally_sum(tally + BOUND_TALLY, bound);
}

__device__ inline Record record_of_row(const Record* records, const i64* ids, i64 row) {
  return load_record(records, ids ? ids[row] : row);
}
__device__ inline i64 chains_of(const Record& record) { return record.base >= 0 ? record.buckets : 0; }

// Sums of the degrees, and of the chains, of each tile of tables.
extern "C" __global__ void __launch_bounds__(TILE) measure_tables(
    i64 count, const i64* ids, const Record* records, i64* key_sums, i64* chain_sums) {
  TILES(tile, count) {
    i64 row = tile * TILE + threadIdx.x, keys, chains;
    Record record = row < count ? record_of_row(records, ids, row) : Record{-1, 0, 0, 0};
    block_exclusive(i64(record.degree), keys);
    block_exclusive(chains_of(record), chains);
    if (threadIdx.x == 0) {
      key_sums[tile] = keys;
      chain_sums[tile] = chains;
    }
  }
}

// Copies the records of tables, and writes the offsets of their keys and chains. Offsets [0] are zero already.
extern "C" __global__ void __launch_bounds__(TILE) lay_out_tables(
    i64 count, const i64* ids, const Record* records, const i64* key_sums, const i64* chain_sums, bool summed,
    Record* copies, i64* offsets, i64* chain_offsets, u64* tally) {
  i64 dead = 0;
  TILES(tile, count) {
    i64 row = tile * TILE + threadIdx.x, total;
    i64 keys_before = sum_before(key_sums, summed, tile), chains_before = sum_before(chain_sums, summed, tile);
    Record record = row < count ? record_of_row(records, ids, row) : Record{-1, 0, 0, 0};
    i64 keys = keys_before + block_exclusive(i64(record.degree), total) + record.degree;
    i64 chains = chains_before + block_exclusive(chains_of(record), total) + chains_of(record);
    if (row < count) {
      copies[row] = record;
      offsets[row + 1] = keys;
      chain_offsets[row + 1] = chains;
      dead += record.tombstones;
    }
    if (row == count - 1) {
      tally[KEYS_TALLY] = u64(keys);
      tally[CHAINS_TALLY] = u64(chains);
    }
  }
  tally_sum(tally + DEAD_TALLY, dead);
}

// The buckets of a table for the existing and the new keys of a row.
__device__ inline i64 planned_buckets(const i64* offsets, const int* coming, double keys_each, i64 row) {
  i64 keys = offsets[row + 1] - offsets[row] + (coming ? coming[row] : 0);
  return i64(ceil(double(keys) / keys_each));
}

extern "C" __global__ void __launch_bounds__(TILE) measure_plan(
    i64 count, const i64* offsets, const int* coming, double keys_each, i64* sums) {
  TILES(tile, count) {
    i64 row = tile * TILE + threadIdx.x, total;
    block_exclusive(row < count ? planned_buckets(offsets, coming, keys_each, row) : i64(0), total);
    if (threadIdx.x == 0) sums[tile] = total;
  }
}

// Records of tables whose base slabs follow each other from slab `first` on.
extern "C" __global__ void __launch_bounds__(TILE) plan_tables(
    i64 count, const i64* offsets, const int* coming, double keys_each, const i64* sums, bool summed, i64 first,
    Record* records, u64* tally) {
  i64 without = 0;
  TILES(tile, count) {
    i64 row = tile * TILE + threadIdx.x, total, before = sum_before(sums, summed, tile);
    i64 buckets = row < count ? planned_buckets(offsets, coming, keys_each, row) : 0;
    before += block_exclusive(buckets, total);
    if (row < count) {
      int degree = int(offsets[row + 1] - offsets[row]);
      records[row] = {buckets ? int(first + before) : -1, buckets ? int(buckets) : 1, degree, 0};
      without += buckets == 0;
    }
    if (row == count - 1) tally[SLABS_TALLY] = u64(before + buckets);
  }
  tally_sum(tally + WITHOUT_TALLY, without);
}

extern "C" __global__ void count_overflow(i64 count, const int* fill, u64* tally) {
  i64 slabs = 0;
  GRID_STRIDE(b, count) slabs += fill[b] ? (fill[b] - 1) / SLAB_KEYS : 0;
  tally_sum(tally + OVERFLOW_TALLY, slabs);
}

extern "C" __global__ void store_records(i64 count, const i64* ids, const Record* from, Record* records) {
  GRID_STRIDE(k, count) records[ids[k]] = from ? from[k] : Record{-1, 1, 0, 0};
}

extern "C" __global__ void list_with_tombstones(i64 count, const Record* records, i64* ids, u64* tally) {
  GRID_STRIDE(v, count)
    if (records[v].tombstones > 0) ids[ticket(tally + LISTED_TALLY)] = v;
}
