// CUDA kernel of edge_support. Macros: VIEW_HEADER, VID, WEIGHT.
//
// A block processes one vertex x at a time. It puts the upper neighbors of x into a hash table in shared memory, and
// looks up the upper neighbors of each lower neighbor y. A hit w is the triangle y, x, w, which counts for three edges:
// x -> w is tallied next to the table and y -> x in registers. Only y -> w costs an atomic in global memory for every
// triangle. Both views are of snapshots: a vertex's neighbors are one run without gaps.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/tile.cuh"

constexpr int THREADS = 256;
constexpr int TABLE = 16384 / sizeof(VID);  // entries of the largest table, a power of two
constexpr int PART = TABLE / 2;             // neighbors that are looked up at a time
typedef Tile<8> WalkTile;
constexpr int TILES = THREADS / WalkTile::size;

__device__ __forceinline__ u32 hash_of(VID v) { return u32(v) * 0x9E3779B1u; }

// The index of v in a table of `mask` + 1 entries, or of the empty entry that ends the search for it.
__device__ __forceinline__ u32 place_of(const VID* table, u32 mask, u32 shift, VID v) {
  u32 h = hash_of(v) >> shift;
  VID entry;
  while ((entry = table[h]) != v && entry >= 0) h = (h + 1) & mask;
  return h;
}

// Processes the vertices of a list one at a time. `order` starts with the vertices with most lower neighbors, so the
// longest work starts first. counters: [1] tickets.
extern "C" __global__ void __launch_bounds__(THREADS) edge_support(
    i64 count, View up, View down, const VID* order, int* support, u64* counters) {
  __shared__ VID table[TABLE];
  __shared__ int tally[TABLE];  // of the edges x -> table[h]
  __shared__ u32 ticket;
  WalkTile tile;
  int tile_id = threadIdx.x / WalkTile::size;
  for (;;) {
    if (threadIdx.x == 0) ticket = u32(atomicAdd(counters + 1, 1ull));
    __syncthreads();
    i64 at = ticket;
    __syncthreads();
    if (at >= count) break;
    VID x = order[at];
    i64 degree = up.degree(x), partners = down.degree(x);
    if (partners == 0) break;  // so have all that follow
    const VID* partner = down.neighbors + down.offsets[x];
    i64 low = up.offsets[x];
    for (i64 first = low; first < low + degree; first += PART) {
      u32 listed = u32(low + degree - first < PART ? low + degree - first : PART);
      u32 size = 64;
      while (size < TABLE && size < 4 * listed) size *= 2;
      u32 shift = __clz(size) + 1, mask = size - 1;
      for (u32 i = threadIdx.x; i < size; i += THREADS) {
        table[i] = VID(EMPTY);
        tally[i] = 0;
      }
      __syncthreads();
      for (u32 i = threadIdx.x; i < listed; i += THREADS) {
        VID v = up.neighbors[first + i];
        u32 h = hash_of(v) >> shift;
        while (compare_and_swap(table + h, VID(EMPTY), v) != VID(EMPTY)) h = (h + 1) & mask;
      }
      __syncthreads();
      for (i64 k = tile_id; k < partners; k += TILES) {
        VID y = partner[k];
        i64 low_y = up.offsets[y];
        u32 length = u32(up.offsets[y + 1] - low_y);  // at least 1: y -> x
        const VID* candidates = up.neighbors + low_y;
        int* support_y = support + low_y;
        int of_y = 0;
        int edge = -1;  // position of y -> x in y's list, on the lane that meets it
        for (u32 base = tile.lane; base < length; base += 4 * WalkTile::size) {
          VID candidate[4];
#pragma unroll
          for (int j = 0; j < 4; ++j) {  // all loads first: they overlap
            u32 i = base + j * WalkTile::size;
            candidate[j] = i < length ? candidates[i] : VID(EMPTY);
          }
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            VID w = candidate[j];
            if (w < 0) continue;
            u32 i = base + j * WalkTile::size;
            if (w == x) edge = int(i);
            u32 h = place_of(table, mask, shift, w);
            if (table[h] == w) {
              ++of_y;
              atomicAdd(tally + h, 1);
              atomicAdd(support_y + i, 1);
            }
          }
        }
        of_y = tile.reduce(of_y, Sum());
        if (edge >= 0 && of_y) atomicAdd(support_y + edge, of_y);
      }
      __syncthreads();
      for (u32 i = threadIdx.x; i < listed; i += THREADS) {
        int of_edge = tally[place_of(table, mask, shift, up.neighbors[first + i])];
        if (of_edge) atomicAdd(support + first + i, of_edge);
      }
      __syncthreads();
    }
  }
}
