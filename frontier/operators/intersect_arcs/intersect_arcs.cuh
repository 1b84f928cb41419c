// CUDA kernel of intersect_arcs. Macros: VIEW_HEADER, VID, WEIGHT, HAS_TALLY.
//
// A block processes one vertex x at a time, puts its neighbors into a hash table in shared memory, and looks up there
// the neighbors of each of its partners. Tallies of the vertices in the table are stored next to it and added up once a
// vertex. Both views are of snapshots: a segment is one run of at most 32 slots without gaps.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/tile.cuh"

constexpr int THREADS = 256;
constexpr int SEGMENT = 32;
constexpr int TABLE = 16384 / sizeof(VID);  // entries of the largest table, a power of two
constexpr int PART = TABLE / 2;             // neighbors that are looked up at a time
typedef Tile<8> WalkTile;
constexpr int TILES = THREADS / WalkTile::size;

__device__ __forceinline__ u32 hash_of(VID v) { return u32(v) * 0x9E3779B1u; }

// Processes the vertices of a list one at a time. `order` starts with the vertices with most partners, so the longest
// work starts first. counters: [0] the sum, [1] tickets.
extern "C" __global__ void __launch_bounds__(THREADS) intersect_arcs(
    i64 count, View view, View pairs, const VID* order, u64* tally, u64* counters) {
  __shared__ VID table[TABLE];
#ifdef HAS_TALLY
  __shared__ u32 table_tally[TABLE];
#endif
  __shared__ u32 ticket;
  WalkTile tile;
  int tile_id = threadIdx.x / WalkTile::size;
  u64 total = 0;
  for (;;) {
    if (threadIdx.x == 0) ticket = u32(atomicAdd(counters + 1, 1ull));
    __syncthreads();
    i64 at = ticket;
    if (at >= count) break;
    VID x = order[at];
    i64 degree = view.degree(x), partners = pairs.degree(x);
    if (partners == 0) break;  // so have all that follow
    if (degree == 0) {
      __syncthreads();
      continue;
    }
    const VID* partner = pairs.neighbors + pairs.segment(x, 0).low;
    const VID* neighbor = view.neighbors + view.segment(x, 0).low;
    u64 of_x = 0;
    for (i64 first = 0; first < degree; first += PART) {
      u32 listed = u32(degree - first < PART ? degree - first : PART);
      u32 size = 64;
      while (size < TABLE && size < 4 * listed) size *= 2;
      u32 shift = __clz(size) + 1;
      for (u32 i = threadIdx.x; i < size; i += THREADS) {
        table[i] = VID(EMPTY);
#ifdef HAS_TALLY
        table_tally[i] = 0;
#endif
      }
      __syncthreads();
      for (u32 i = threadIdx.x; i < listed; i += THREADS) {
        VID v = neighbor[first + i];
        u32 h = hash_of(v) >> shift;
        while (compare_and_swap(table + h, VID(EMPTY), v) != VID(EMPTY)) h = (h + 1) & (size - 1);
      }
      __syncthreads();
      for (i64 k = tile_id; k < partners; k += TILES) {
        VID y = partner[k];
        u32 length = u32(view.degree(y));
        if (length == 0) continue;
        const VID* candidates = view.neighbors + view.segment(y, 0).low;
        u32 of_y = 0;
        for (u32 base = tile.lane; base < length; base += 4 * WalkTile::size) {
          VID candidate[4];
#pragma unroll
          for (int j = 0; j < 4; ++j) {  // all loads first: they overlap
            u32 i = base + j * WalkTile::size;
            candidate[j] = i < length ? candidates[i] : VID(EMPTY);
          }
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            VID w = candidate[j], entry;
            if (w < 0) continue;
            u32 h = hash_of(w) >> shift;
            while ((entry = table[h]) != w && entry >= 0) h = (h + 1) & (size - 1);
            if (entry == w) {
              ++of_y;
#ifdef HAS_TALLY
              atomicAdd(table_tally + h, 1u);
#endif
            }
          }
        }
        of_x += of_y;
#ifdef HAS_TALLY
        of_y = tile.reduce(of_y, Sum());
        if (of_y && tile.lane == 0) atomicAdd(tally + y, u64(of_y));
#endif
      }
      __syncthreads();
#ifdef HAS_TALLY
      for (u32 i = threadIdx.x; i < size; i += THREADS)
        if (table_tally[i]) atomicAdd(tally + table[i], u64(table_tally[i]));
      __syncthreads();
#endif
    }
#ifdef HAS_TALLY
    u64 sum = Tile<32>().reduce(of_x, Sum());
    if (sum && (threadIdx.x & 31) == 0) atomicAdd(tally + x, sum);
#endif
    total += of_x;
    __syncthreads();
  }
  total = Tile<32>().reduce(total, Sum());
  if ((threadIdx.x & 31) == 0 && total) atomicAdd(counters, total);
}
