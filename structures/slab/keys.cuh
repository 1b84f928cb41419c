// The work of one tile of four lanes on one arc.
//
// While a batch is inserted, words of slabs only ever change from EMPTY to a key or a link, each once. A key goes into
// the first EMPTY word of its chain. A thread that loses that word to another reads the slab again, and so finds its
// own key if the other thread has put it there.
#pragma once
#include "structures/slab/pool.cuh"

constexpr i64 PENDING = -0x7fffffffffffffffll - 1;

// for (k = this tile of four lanes; k < count; k += all tiles)
#define TILE_STRIDE(k, count)                                                                             \
  for (i64 k = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / 4, stride_ = i64(gridDim.x) * blockDim.x / 4; \
       k < (count); k += stride_)

// Puts an empty slab where `link` is EMPTY. Returns the slab that is there then, or -1 if none was available. `mine` is
// whether it was this thread's. `spare` is a slab that was allocated and not used yet, or -1.
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

// Inserts the key into the table of u. Returns, to all lanes, the slot that it created, -2 - slot if the key existed,
// or PENDING if it would be behind `chain_limit` slabs, or no slab was available.
__device__ inline i64 insert_key(
    const Tile<4>& tile, const Pool& pool, Stock& stock, VID u, VID key, i64 chain_limit, i64& spare) {
  Record record = load_record<SHARED>(pool.records, u);
  // Lane 0 decides: another tile may have attached the first slab between the reads of two lanes.
  i64 slab = tile.shfl(record.base, 0);
  bool fresh = false;
  if (slab < 0) {
    if (tile.lane == 0) slab = attach(pool, stock, &pool.records[u].base, spare, fresh);
    slab = tile.shfl(slab, 0);
    fresh = tile.shfl(int(fresh), 0);
    if (slab < 0) return PENDING;
  } else {
    slab += bucket_of(key, record.buckets);
  }
  for (int steps = 1;;) {
    VID link;
    expect_weights(tile, pool.neighbors + slab * SLAB_STRIDE);
    // Into a new slab without reading it first. Another tile may still have been faster.
    int seen = fresh ? FREE : look<true>(tile, pool.neighbors + slab * SLAB_STRIDE, key, link);
    fresh = false;
    if (seen < FREE) return -2 - (slab * SLAB_STRIDE + seen);
    if (seen < NOTHING) {
      if (steps > chain_limit) return PENDING;
      i64 slot = slab * SLAB_STRIDE + seen - FREE;
      VID other = EMPTY;
      if (tile.lane == 0) other = compare_and_swap(pool.neighbors + slot, VID(EMPTY), key);
      other = tile.shfl(other, 0);
      if (other == EMPTY) return slot;
      if (other == key) return -2 - slot;
      continue;
    }
    i64 following = tile.shfl(link, 3);
    if (following < 0) {
      following = -1;
      if (tile.lane == 0 && steps < chain_limit)
        following = attach(pool, stock, pool.neighbors + slab * SLAB_STRIDE + SLAB_KEYS, spare, fresh);
      following = tile.shfl(following, 0);
      fresh = tile.shfl(int(fresh), 0);
      if (following < 0) return PENDING;
    }
    slab = following;
    ++steps;
  }
}

// Deletes the key from the table of u. Returns, in lane 0, its slot, or -1 if it was not there or another tile deletes it.
__device__ inline i64 erase_key(const Tile<4>& tile, const Pool& pool, VID u, VID key) {
  Record record = load_record<SHARED>(pool.records, u);
  i64 slot = -1, slab = record.base < 0 ? -1 : i64(record.base) + bucket_of(key, record.buckets);
  while (slab >= 0) {
    VID link;
    int seen = look<true>(tile, pool.neighbors + slab * SLAB_STRIDE, key, link);
    if (seen < FREE && tile.lane == 0 &&
        compare_and_swap(pool.neighbors + slab * SLAB_STRIDE + seen, key, VID(TOMBSTONE)) == key) {
      atomicAdd(pool.counts(u), KEY_LEFT);
      slot = slab * SLAB_STRIDE + seen;
    }
    if (seen < NOTHING) break;
    slab = tile.shfl(link, 3);
  }
  return slot;
}

// Looks the key up in the table of u. Returns the slot, or -1, in all lanes.
__device__ inline i64 find_key(const Tile<4>& tile, const Record* records, const VID* neighbors, VID u, VID key) {
  Record record = u < 0 ? Record{-1, 0, 0, 0} : load_record<CONSTANT>(records, u);
  i64 slab = record.base < 0 ? -1 : i64(record.base) + bucket_of(key, record.buckets);
  while (slab >= 0) {
    VID link;
    int seen = look<false>(tile, neighbors + slab * SLAB_STRIDE, key, link);
    if (seen < FREE) return slab * SLAB_STRIDE + seen;
    if (seen < NOTHING) break;
    slab = tile.shfl(link, 3);
  }
  return -1;
}
