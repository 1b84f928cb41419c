// CUDA kernels of reductions over neighbors with several columns. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS,
// ARG_NAMES, REDUCE, RESULT, TILE_SIZE, COLUMN_LANES, COLUMNS_EACH, WHOLE. HAS_COMBINE, if REDUCE is Combine, a custom
// function.
//
// The lanes of a tile are COLUMN_LANES wide: they gather neighbouring columns of one neighbor, which coalesces their
// reads of a row of features. With fewer columns than lanes a tile processes several neighbors at a time. With more, a
// lane has COLUMNS_EACH of them, COLUMN_LANES apart. WHOLE: the columns fill the lanes, so none needs a bounds check.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/combine.cuh"
#include "frontier/cuda/expand.cuh"

extern "C" __device__ RESULT op(VID src, VID dst, i64 edge, Weight weight, i64 column ARG_PARAMS);

#ifdef HAS_COMBINE
extern "C" __device__ RESULT combine(RESULT a, RESULT b);

struct Combine {
  __device__ RESULT operator()(RESULT a, RESULT b) const { return combine(a, b); }
};
#endif

constexpr int NEIGHBOR_LANES = TILE_SIZE / COLUMN_LANES;     // neighbors that a tile processes at a time
constexpr int CHUNK = COLUMN_LANES * COLUMNS_EACH;           // columns that it processes at a time
constexpr int AT_ONCE = COLUMNS_EACH < 4 ? 4 : 2;            // neighbors of a lane whose values are read before they are used

// A lane's part of the columns first .. first + CHUNK - 1.
struct Part {
  i64 column, columns;  // its first column, and the number of all
  RESULT total[COLUMNS_EACH];

  __device__ Part(const ExpandTile& tile, i64 first, i64 columns, RESULT identity)
      : column(first + (tile.lane & (COLUMN_LANES - 1))), columns(columns) {
#pragma unroll
    for (int c = 0; c < COLUMNS_EACH; ++c) total[c] = identity;
  }

  __device__ bool has(int c) const { return WHOLE || column + c * COLUMN_LANES < columns; }

  // The neighbors in one segment of u. ARG_PARAMS are the parameters of the functor.
  __device__ __forceinline__ void add_segment(const View& view, const ExpandTile& tile, VID u, i64 segment ARG_PARAMS) {
    Run run = view.segment(u, segment);
    do {
      for (i64 base = run.low + tile.lane / COLUMN_LANES; base < run.high; base += AT_ONCE * NEIGHBOR_LANES) {
        VID neighbor[AT_ONCE];
        bool all = true;
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
          i64 slot = base + k * NEIGHBOR_LANES;
          neighbor[k] = slot < run.high ? view.neighbors[slot] : VID(EMPTY);
          all = all && neighbor[k] >= 0;
        }
        if (all) {  // without branches in between, the functor's loads overlap
          RESULT value[AT_ONCE][COLUMNS_EACH];
#pragma unroll
          for (int k = 0; k < AT_ONCE; ++k) {
            i64 slot = base + k * NEIGHBOR_LANES;
#pragma unroll
            for (int c = 0; c < COLUMNS_EACH; ++c)
              if (has(c)) value[k][c] = value_of(view, u, neighbor[k], slot, c ARG_NAMES);
          }
#pragma unroll
          for (int k = 0; k < AT_ONCE; ++k)
#pragma unroll
            for (int c = 0; c < COLUMNS_EACH; ++c)
              if (has(c)) total[c] = REDUCE()(total[c], value[k][c]);
        } else {
#pragma unroll
          for (int k = 0; k < AT_ONCE; ++k) {
            if (neighbor[k] < 0) continue;
            i64 slot = base + k * NEIGHBOR_LANES;
#pragma unroll
            for (int c = 0; c < COLUMNS_EACH; ++c)
              if (has(c)) total[c] = REDUCE()(total[c], value_of(view, u, neighbor[k], slot, c ARG_NAMES));
          }
        }
      }
      run = view.next_run(run);
    } while (run.handle >= 0);
  }

  __device__ __forceinline__ RESULT value_of(const View& view, VID u, VID v, i64 slot, int c ARG_PARAMS) const {
    return op(u, v, edge_of(view, slot), weight_of(view, slot), column + c * COLUMN_LANES ARG_NAMES);
  }

  // Combine the results of a tile's lanes, and write them. `alone`: no other tile has a part of this row.
  __device__ __forceinline__ void write(const ExpandTile& tile, RESULT* row, bool alone) {
#pragma unroll
    for (int c = 0; c < COLUMNS_EACH; ++c) {
#pragma unroll
      for (int offset = COLUMN_LANES; offset < TILE_SIZE; offset *= 2)
        total[c] = REDUCE()(total[c], __shfl_xor_sync(tile.mask, total[c], offset, TILE_SIZE));
      if (tile.lane >= COLUMN_LANES || !has(c)) continue;
      RESULT* at = row + column + c * COLUMN_LANES;
      if (alone) *at = total[c]; else combine_shared(at, total[c], REDUCE());
    }
  }
};

// For each vertex of a list, the reductions over its edges. Before, its row of `out` contains the identity. A tile
// processes consecutive segments, and writes once for each vertex that they belong to.
extern "C" __global__ void __launch_bounds__(BLOCK) reduce_columns(
    i64 count, int items, View view, const VID* vertices, RESULT identity, RESULT* out, i64 columns, u64* pieces,
    u32* num_pieces, u32 max_pieces ARG_PARAMS) {
  __shared__ u32 sums[BLOCK + 1];
  __shared__ VID members[BLOCK];
  ExpandTile tile;
  PieceQueue queue{pieces, num_pieces, max_pieces};
  constexpr u32 TILES = BLOCK / TILE_SIZE;
  const u32 mine = threadIdx.x / TILE_SIZE;
  for (i64 base = i64(blockIdx.x) * items; base < count; base += i64(gridDim.x) * items) {
    u32 own = share(view, base + threadIdx.x, threadIdx.x < items && base + threadIdx.x < count
                    ? vertices[base + threadIdx.x] : VID(-1), queue, members);
    block_scan(own, sums);
    u32 total = sums[BLOCK], k = u32(u64(total) * mine / TILES), end = u32(u64(total) * (mine + 1) / TILES);
    for (int owner = k < end ? owner_of(sums, k) : 0; k < end; ++owner) {
      u32 begin = sums[owner], next = sums[owner + 1], last = next < end ? next : end;
      if (next <= k) continue;
      VID u = members[owner];
      for (i64 first = 0; first < columns; first += CHUNK) {
        Part part(tile, first, columns, identity);
        for (u32 s = k; s < last; ++s) part.add_segment(view, tile, u, s - begin ARG_NAMES);
        part.write(tile, out + i64(u) * columns, k == begin && last == next);
      }
      k = last;
    }
    __syncthreads();
  }
}

// The pieces of vertices with very many neighbors that reduce_columns deferred.
extern "C" __global__ void __launch_bounds__(BLOCK) reduce_column_pieces(
    i64 count, View view, const VID* vertices, RESULT identity, RESULT* out, i64 columns, u64* pieces, u32* num_pieces,
    u32 max_pieces ARG_PARAMS) {
  ExpandTile tile;
  u32 size = *num_pieces < max_pieces ? *num_pieces : max_pieces;
  for (u32 p = blockIdx.x; p < size; p += gridDim.x) {
    u64 piece = pieces[p];
    if (piece == ~0ull) continue;
    i64 begin = i64(piece & 0xffffffffu);
    VID u = vertices[piece >> 32];
    i64 end = view.segments(u);
    if (begin + PIECE_SEGMENTS < end) end = begin + PIECE_SEGMENTS;
    for (i64 first = 0; first < columns; first += CHUNK) {
      Part part(tile, first, columns, identity);
      for (i64 s = begin + threadIdx.x / TILE_SIZE; s < end; s += BLOCK / TILE_SIZE)
        part.add_segment(view, tile, u, s ARG_NAMES);
      part.write(tile, out + i64(u) * columns, false);
    }
  }
}
