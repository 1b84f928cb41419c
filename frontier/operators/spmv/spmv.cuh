// CUDA kernel of SpMV, over rows sorted by length, longest first. Macros: VID, WEIGHT, GATHER.
//
// What bounds a sparse matrix-vector product on a graph is not memory but the gathers from x: the first-level cache takes
// one line a cycle. The vertices with most neighbors are those that are gathered most; they are numbered first, and each
// block, which fills a multiprocessor, holds a copy of their part of x in shared memory, which leaves the cache to the rest.
#pragma once
#include "frontier/cuda/types.cuh"
#include "frontier/cuda/tile.cuh"

constexpr int SPMV_THREADS = 1024;
constexpr int PIECE_ARCS = 1024;  // of a long row, taken by one warp

// Read once: keep it out of the cache that x needs.
template <class T>
__device__ __forceinline__ T stream(const T* at) { return __ldcs(at); }

struct Matrix {
  const VID* columns;
  const WEIGHT* weights;  // null for ones
  const GATHER* x;
  const GATHER* hubs;     // shared: x[0 .. num_hubs-1]
  VID num_hubs;

  // The part of a lane in the product of arcs begin..end, which N lanes share.
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
      for (int k = 0; k < UNROLL; ++k) {
        value[k] = 0;
        if (column[k] >= num_hubs) value[k] = __ldg(x + column[k]);
        else if (column[k] >= 0) value[k] = hubs[column[k]];
      }
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

// y = A x. Rows 0..long_rows-1 are cut into pieces: piece p is of row piece_rows[p], whose first is first_piece[row]; y
// is zero there. The rows up to warp_rows are taken by a warp each, up to tile_rows by eight lanes, the rest by a thread.
extern "C" __global__ void __launch_bounds__(SPMV_THREADS, 1) spmv(
    i64 num_rows, const i64* offsets, const VID* columns, const WEIGHT* weights, const GATHER* x, double* y, i64 num_hubs,
    i64 num_pieces, const int* piece_rows, const i64* first_piece, i64 long_rows, i64 warp_rows, i64 tile_rows) {
  extern __shared__ char shared[];
  GATHER* hubs = reinterpret_cast<GATHER*>(shared);
  for (i64 i = threadIdx.x; i < num_hubs; i += SPMV_THREADS) hubs[i] = x[i];
  __syncthreads();
  Matrix matrix{columns, weights, x, hubs, VID(num_hubs)};
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
