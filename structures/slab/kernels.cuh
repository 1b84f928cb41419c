// CUDA kernels of the slab graph; cpu.py describes each. Macros: VID, WEIGHT, SLAB_WORDS, SLAB_STRIDE.
//
// Four lanes work on an arc, eight arcs to a warp. While a batch is inserted, words of slabs only ever change from
// EMPTY to a key or a link, each once, and a key is put into the first word of its chain that is EMPTY: whoever loses
// that word to another thread looks at the slab again, and so finds its own key if that is what was put there.
#pragma once
#include "structures/slab/duplicates.cuh"
#include "structures/slab/compact.cuh"
#include "structures/slab/rows.cuh"
#include "structures/slab/tables.cuh"
#include "structures/slab/view.cuh"

constexpr i64 PENDING = -0x7fffffffffffffffll - 1;

// for (k = this tile of four lanes; k < count; k += all tiles)
#define TILE_STRIDE(k, count)                                                                             \
  for (i64 k = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 4, stride_ = i64(gridDim.x) * blockDim.x / 4; \
       k < (count); k += stride_)

__device__ inline bool is_bad(const u64* error_counts) { return error_counts && (error_counts[0] | error_counts[1] | error_counts[2]); }

extern "C" __global__ void find_arcs(i64 count, View view, const VID* src, const VID* dst, i64* slots) {
  Tile<4> tile;
  TILE_STRIDE(i, count) {
    VID key = dst[i];
    VID u = src[i];
    Record record = u < 0 ? Record{-1, 0, 0, 0} : load_record<CONSTANT>(view.records, u);
    i64 slot = -1;
    i64 slab = record.base < 0 ? -1 : i64(record.base) + bucket_of(key, record.buckets);
    while (slab >= 0) {
      VID link;
      int seen = look<false>(tile, view.neighbors + slab * SLAB_STRIDE, key, link);
      if (seen < FREE) slot = slab * SLAB_STRIDE + seen;
      if (seen < NOTHING) break;
      slab = tile.shfl(link, 3);
    }
    if (tile.lane == 0) slots[i] = slot;
  }
}

// Puts an empty slab where `link` is EMPTY. Returns the slab that is there then, or -1 if there was none to put; `mine`
// tells whether it was this thread's. `spare` is a slab that was taken and not used yet, or -1.
template <class Word>
__device__ inline i64 attach(const Pool& pool, Stock& stock, Word* link, i64& spare, bool& mine) {
  if (spare < 0) spare = take_slab(pool, stock);
  if (spare < 0) return -1;
  Word other = compare_and_swap(link, Word(EMPTY), Word(spare));
  if (other != EMPTY) return other;
  mine = true;
  i64 slab = spare;
  spare = -1;
  return slab;
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
    Record record = load_record<SHARED>(pool.records, u);
    // Lane 0 decides: another tile may have attached the first slab between the reads of two lanes.
    i64 slab = tile.shfl(record.base, 0), outcome = PENDING;
    bool open = true, fresh = false;
    if (slab < 0) {
      if (tile.lane == 0) slab = attach(pool, stock, &pool.records[u].base, spare, fresh);
      slab = tile.shfl(slab, 0);
      fresh = tile.shfl(int(fresh), 0);
      open = slab >= 0;
    } else {
      slab += bucket_of(key, record.buckets);
    }
    for (int walked = 1; open;) {
      VID link;
      expect_weights(tile, pool.neighbors + slab * SLAB_STRIDE);
      // Into a slab of one's own without a look first; another tile may yet have been faster.
      int seen = fresh ? FREE : look<true>(tile, pool.neighbors + slab * SLAB_STRIDE, key, link);
      fresh = false;
      if (seen < FREE) {
        outcome = -2 - (slab * SLAB_STRIDE + seen);
        break;
      }
      if (seen < NOTHING) {
        i64 slot = slab * SLAB_STRIDE + seen - FREE;
        VID other = EMPTY;
        if (tile.lane == 0) other = compare_and_swap(pool.neighbors + slot, VID(EMPTY), key);
        other = tile.shfl(other, 0);
        if (other == EMPTY) outcome = slot;
        if (other == key) outcome = -2 - slot;
        open = other != EMPTY && other != key;
        continue;
      }
      i64 following = tile.shfl(link, 3);
      if (following < 0) {
        following = -1;
        if (tile.lane == 0 && walked < chain_limit)
          following = attach(pool, stock, pool.neighbors + slab * SLAB_STRIDE + SLAB_KEYS, spare, fresh);
        following = tile.shfl(following, 0);
        fresh = tile.shfl(int(fresh), 0);
        open = following >= 0;
      }
      slab = following;
      ++walked;
    }
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
        if (table) record_or_overflow(-2 - outcome, i, table, table_size, recorded, pool.counters);
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
    if (!finish) {  // resolve_duplicates will publish
      if (threadIdx.x == 0) counters[DONE] = 0;
      return;
    }
    for (i64 i = threadIdx.x; i < count; i += blockDim.x) resolve_duplicate(i, slots, table, table_size, counters);
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

// Of several equal arcs, the one whose swap succeeds counts.
extern "C" __global__ void __launch_bounds__(256, 6) erase(
    i64 count, Pool pool, const u64* error_counts, const VID* src, const VID* dst, const i64* chosen, i64* slots) {
  if (is_bad(error_counts)) return;
  Tile<4> tile;
  u32 erased = 0;  // in lane 0
  TILE_STRIDE(i, count) {
    VID u = src[i], key = dst[i];
    i64 slot = -1;  // in lane 0
    bool wanted = u >= 0 && !(chosen && chosen[i] < 0);
    Record record = wanted ? load_record<SHARED>(pool.records, u) : Record{-1, 0, 0, 0};
    i64 slab = record.base < 0 ? -1 : i64(record.base) + bucket_of(key, record.buckets);
    while (slab >= 0) {
      VID link;
      int seen = look<true>(tile, pool.neighbors + slab * SLAB_STRIDE, key, link);
      if (seen < FREE && tile.lane == 0 &&
          compare_and_swap(pool.neighbors + slab * SLAB_STRIDE + seen, key, VID(TOMBSTONE)) == key) {
        atomicAdd(pool.counts(u), KEY_LEFT);
        slot = slab * SLAB_STRIDE + seen;
        ++erased;
      }
      if (seen < NOTHING) break;
      slab = tile.shfl(link, 3);
    }
    if (slots && tile.lane == 0) slots[i] = slot;
  }
  report(pool, erased, 0, 0);
  if (is_last_block(pool)) publish(pool);
}
