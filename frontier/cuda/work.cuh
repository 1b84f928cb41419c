// The work of a ticket, as schedule() distributes vertices (degree_order.cuh). Macro: VID.
#pragma once
#include "frontier/cuda/tile.cuh"

// A vertex, and one piece of a list of its neighbors. The first `hubs` vertices of `order` have several pieces, from
// ticket first_piece[i] on.
struct Work {
  VID x;
  i64 piece, pieces;

  explicit __device__ Work(VID x) : x(x), piece(0), pieces(1) {}
  __device__ Work(i64 ticket, const VID* order, i64 hubs, const i64* first_piece) : piece(0), pieces(1) {
    i64 of_hubs = hubs ? first_piece[hubs] : 0;
    if (ticket >= of_hubs) {
      x = order[hubs + ticket - of_hubs];
      return;
    }
    i64 low = 0, high = hubs;
    while (high - low > 1) {
      i64 middle = (low + high) >> 1;
      if (first_piece[middle] <= ticket) low = middle; else high = middle;
    }
    x = order[low];
    piece = ticket - first_piece[low];
    pieces = first_piece[low + 1] - first_piece[low];
  }
};

// Adds all threads' parts of a total to counters[0].
__device__ __forceinline__ void add_total(u64* counters, u64 total) {
  total = Tile<32>().reduce(total, Sum());
  if ((threadIdx.x & 31) == 0 && total) atomicAdd(counters, total);
}
