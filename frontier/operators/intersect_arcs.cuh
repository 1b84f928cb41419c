// CUDA kernel of intersect_arcs. Macros: VIEW_HEADER, VID, WEIGHT, HAS_TALLY.
//
// A block takes one vertex u at a time, puts its neighbors into a hash table in shared memory, and looks the neighbors of
// each of its neighbors up there. Tallies of the vertices in the table are kept beside it and added up once a vertex.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/tile.cuh"

constexpr int THREADS = 256;
constexpr int TABLE = 4096;         // entries of the largest table, a power of two
constexpr int PART = TABLE / 2;     // neighbors of u that are looked up at a time
typedef Tile<8> WalkTile;

__device__ __forceinline__ u32 hash_of(VID v) { return u32(v) * 0x9E3779B1u; }

template <class Visit>
__device__ __forceinline__ void for_each_neighbor(const View& view, const WalkTile& tile, VID v, i64 segment, Visit visit) {
  Run run = view.segment(v, segment);
  do {
    for (i64 base = run.low; base < run.high; base += 4 * WalkTile::size) {
      VID neighbor[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        i64 slot = base + k * WalkTile::size + tile.lane;
        neighbor[k] = slot < run.high ? view.neighbors[slot] : VID(EMPTY);
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) visit(neighbor[k]);
    }
    run = view.next_run(run);
  } while (run.handle >= 0);
}

// `order` lists the vertices with most neighbors first, so that the longest work starts first.
extern "C" __global__ void __launch_bounds__(THREADS) intersect_arcs(
    i64 count, View view, const VID* order, u64* tally, u64* counters) {
  __shared__ VID table[TABLE];
#ifdef HAS_TALLY
  __shared__ u32 table_tally[TABLE];
#endif
  __shared__ VID list[PART];
  __shared__ u32 listed, ticket;
  WalkTile tile;
  int tile_id = threadIdx.x / WalkTile::size;
  constexpr int TILES = THREADS / WalkTile::size;
  u64 total = 0;
  for (;;) {
    if (threadIdx.x == 0) ticket = u32(atomicAdd(counters + 1, 1ull));
    __syncthreads();
    i64 at = ticket;
    if (at >= count) break;
    VID u = order[at];
    i64 degree = view.degree(u);
    if (degree < 2) break;  // so have all that follow
    i64 segments = view.segments(u);
    u64 of_u = 0;
    // Neighbors go into the table PART at a time: whole segments, as many as are sure to fit.
    i64 step = degree <= PART ? segments : (PART / 32);
    for (i64 first = 0; first < segments; first += step) {
      i64 end = first + step < segments ? first + step : segments;
      u32 size = 64;
      while (size < TABLE && i64(size) < 2 * (degree <= PART ? degree : PART)) size *= 2;
      u32 shift = 32 - (31 - __clz(size));
      for (u32 i = threadIdx.x; i < size; i += THREADS) {
        table[i] = VID(EMPTY);
#ifdef HAS_TALLY
        table_tally[i] = 0;
#endif
      }
      if (threadIdx.x == 0) listed = 0;
      __syncthreads();
      for (i64 s = first + tile_id; s < end; s += TILES)
        for_each_neighbor(view, tile, u, s, [&](VID v) {
          if (v < 0) return;
          list[atomicAdd(&listed, 1u)] = v;
          u32 h = hash_of(v) >> shift;
          while (atomicCAS(table + h, VID(EMPTY), v) != VID(EMPTY)) h = (h + 1) & (size - 1);
        });
      __syncthreads();
      // The members of this part are looked for among the neighbors of all of u's neighbors.
      auto look_up = [&](VID v, i64 s) {
        u32 of_v = 0;
        for_each_neighbor(view, tile, v, s, [&](VID w) {
          if (w < 0) return;
          u32 h = hash_of(w) >> shift;
          VID entry;
          while ((entry = table[h]) != VID(EMPTY)) {
            if (entry == w) {
              ++of_v;
#ifdef HAS_TALLY
              atomicAdd(table_tally + h, 1u);
#endif
              break;
            }
            h = (h + 1) & (size - 1);
          }
        });
        of_u += of_v;
#ifdef HAS_TALLY
        of_v = tile.reduce(of_v, Sum());
        if (of_v && tile.lane == 0) atomicAdd(tally + v, u64(of_v));
#endif
      };
      if (first == 0 && end == segments) {
        for (u32 k = tile_id; k < listed; k += TILES) {
          VID v = list[k];
          i64 n = view.segments(v);
          for (i64 s = 0; s < n; ++s) look_up(v, s);
        }
      } else {  // a very long list: walk it again, rather than hold it
        for (i64 s = tile_id; s < segments; s += TILES) {
          Run run = view.segment(u, s);
          do {
            for (i64 slot = run.low; slot < run.high; ++slot) {
              VID v = view.neighbors[slot];
              if (v < 0) continue;
              i64 n = view.segments(v);
              for (i64 t = 0; t < n; ++t) look_up(v, t);
            }
            run = view.next_run(run);
          } while (run.handle >= 0);
        }
      }
      __syncthreads();
#ifdef HAS_TALLY
      for (u32 i = threadIdx.x; i < size; i += THREADS)
        if (table_tally[i]) atomicAdd(tally + table[i], u64(table_tally[i]));
      __syncthreads();
#endif
    }
#ifdef HAS_TALLY
    u64 sum = Tile<32>().reduce(of_u, Sum());
    if (sum && (threadIdx.x & 31) == 0) atomicAdd(tally + u, sum);
#endif
    total += of_u;
    __syncthreads();
  }
  total = Tile<32>().reduce(total, Sum());
  if ((threadIdx.x & 31) == 0 && total) atomicAdd(counters, total);
}
