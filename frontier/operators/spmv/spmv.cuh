// CUDA kernel of SpMV, over rows sorted by length, longest first. Macros: VID, WEIGHT, GATHER, LISTED_HUBS.
//
// A sparse matrix-vector product on a graph is bound not by memory but by the gathers from x: the first-level cache
// reads one line a cycle. The vertices with most neighbors are gathered most. They are numbered first, and each block,
// which fills a multiprocessor, stores their entries of x in shared memory, which leaves the cache to the rest.
//
// With LISTED_HUBS they need not come first in x, as in the vectors of a distributed graph. In these, a partition's own
// vertices come first, and the vertices of each other partition follow. Then column c < num_listed is hub c, whose
// entry is x[listed[c]], and the entry of any other column c is x[c - num_listed].
#pragma once
#include "frontier/cuda/types.cuh"
#include "frontier/cuda/tile.cuh"

constexpr int SPMV_THREADS = 1024;
constexpr int PIECE_ARCS = 1024;  // of a long row, processed by one warp

// Read once: bypass the cache that x needs.
template <class T>
__device__ __forceinline__ T stream(const T* at) { return __ldcs(at); }

struct Matrix {
  const VID* columns;
  const WEIGHT* weights;  // null for ones
  const GATHER* x;
  const GATHER* hubs;     // shared: the entries of the first columns
  VID num_hubs;
#ifdef LISTED_HUBS
  const GATHER* rest;     // x - num_listed
  const VID* listed;
  VID num_listed;         // at least num_hubs: as many as fit if entries are short

  __device__ __forceinline__ GATHER at(VID column) const {
    if (column >= num_listed) return __ldg(rest + column);
    if (column >= num_hubs) return __ldg(x + __ldg(listed + column));
    return column >= 0 ? hubs[column] : GATHER(0);
  }
#else
  __device__ __forceinline__ GATHER at(VID column) const {
    if (column >= num_hubs) return __ldg(x + column);
    return column >= 0 ? hubs[column] : GATHER(0);
  }
#endif

  // A lane's part of the product of arcs begin..end, which N lanes share.
  template <int N, int UNROLL>
  __device__ __forceinline__ double part(i64 begin, i64 end, int lane) const {
    double sum = 0;
    for (i64 base = begin + lane; base < end; base += N * UNROLL) {
      VID column[UNROLL];
      WEIGHT weight[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) {  // all loads first: they overlap
        i64 arc = base + k * N;
        column[k] = arc < end ? stream(columns + arc) : VID(-1);
        weight[k] = weights && arc < end ? stream(weights + arc) : WEIGHT(1);
      }
      GATHER value[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) value[k] = at(column[k]);
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) sum += double(value[k]) * double(weight[k]);
    }
    return sum;
  }
};

// Rows first..last-1, N lanes each.
template <int N, int UNROLL>
__device__ __forceinline__ void rows(const Matrix& matrix, const i64* offsets, double* y, i64 first, i64 last) {
  Tile<N> tile;
  for (i64 row = first + (i64(blockIdx.x) * SPMV_THREADS + threadIdx.x) / N; row < last;
       row += i64(gridDim.x) * SPMV_THREADS / N) {
    double sum = tile.reduce(matrix.part<N, UNROLL>(offsets[row], offsets[row + 1], tile.lane), Sum());
    if (tile.lane == 0) y[row] = sum;
  }
}

// y = A x. Rows 0..long_rows-1 are cut into pieces: piece p is of row piece_rows[p], whose first is first_piece[row],
// and y is zero there. The rows up to warp_rows are processed by a warp each, up to tile_rows by eight lanes, the rest
// by a thread.
extern "C" __global__ void __launch_bounds__(SPMV_THREADS, 1) spmv(
    i64 num_rows, const i64* offsets, const VID* columns, const WEIGHT* weights, const GATHER* x, double* y, i64 num_hubs,
    i64 num_pieces, const int* piece_rows, const i64* first_piece, i64 long_rows, i64 warp_rows, i64 tile_rows
#ifdef LISTED_HUBS
    , const VID* listed, i64 num_listed
#endif
) {
  extern __shared__ char shared[];
  GATHER* hubs = reinterpret_cast<GATHER*>(shared);
#ifdef LISTED_HUBS
  for (i64 i = threadIdx.x; i < num_hubs; i += SPMV_THREADS) hubs[i] = x[listed[i]];
  Matrix matrix{columns, weights, x, hubs, VID(num_hubs), x - num_listed, listed, VID(num_listed)};
#else
  for (i64 i = threadIdx.x; i < num_hubs; i += SPMV_THREADS) hubs[i] = x[i];
  Matrix matrix{columns, weights, x, hubs, VID(num_hubs)};
#endif
  __syncthreads();
  Tile<32> warp;
  for (i64 p = (i64(blockIdx.x) * SPMV_THREADS + threadIdx.x) >> 5; p < num_pieces; p += i64(gridDim.x) * SPMV_THREADS >> 5) {
    int row = piece_rows[p];
    i64 begin = offsets[row] + (p - first_piece[row]) * PIECE_ARCS, end = offsets[row + 1];
    if (begin + PIECE_ARCS < end) end = begin + PIECE_ARCS;
    double sum = warp.reduce(matrix.part<32, 8>(begin, end, warp.lane), Sum());
    if (warp.lane == 0) atomicAdd(y + row, sum);
  }
  rows<32, 4>(matrix, offsets, y, long_rows, warp_rows);
  rows<8, 4>(matrix, offsets, y, warp_rows, tile_rows);
  rows<1, 8>(matrix, offsets, y, tile_rows, num_rows);
}
