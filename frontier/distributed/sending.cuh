// A batch on its way: one kernel sorts arcs by owner, tells the other parts how many come, writes them into the windows of their
// owners, and waits for what other parts write. Names end in the type of ids.
#pragma once
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/distributed/partition.cuh"
#include "frontier/distributed/windows.cuh"

__device__ __forceinline__ void copy_entry(int bytes, char* to, i64 at, const char* from, i64 i) {
  if (bytes == 4) ((u32*)to)[at] = ((const u32*)from)[i];
  else ((u64*)to)[at] = ((const u64*)from)[i];
}

// By a grid-cooperative launch, or by one block: moves arcs, and their weights if these have bytes, into the windows of the parts
// that own them. Behind a head of some bytes there is `room` for sources, as much for destinations, and for weights; those of
// the first part come first. The host gets in `told` what all parts have told each other (find_places). If a part gets more
// than it has room for, or one has found errors, all parts move their arcs to their places in arrays of their own instead.
//
// target, arrived: what grid barriers, of which there are three, begin with, and count with.
// owners, places, rows: memory for an entry of each arc, of each part and span, and for what parts tell each other.
template <class ID>
__device__ void send_arcs(
    i64 parts, u32 target, i64 spans, i64 count, const ID* src, const ID* dst, const char* weights, int together,
    u8* owners, i64* places, ID* out_src, ID* out_dst, char* out_weights, const u64* errors, i64 num_errors, i64 number,
    int weight_bytes, i64 room, i64* rows, int rank, char* const* window_of, volatile i64* told,
    const volatile u64* abandoned, u32* arrived) {
  __shared__ i64 row[MOST_NUMBERS];
  __shared__ i64 shift[MOST_WINDOWS];  // from a place here to that in the owner's window
  i64 width = parts + 2;
  find_owners<ID>(count, src, nullptr, nullptr, 0, nullptr, together, int(parts), spans, owners, places);
  grid_barrier(arrived, target);
  if (blockIdx.x == 0) {
    find_places(parts, spans, places, errors, num_errors, number, row);
    __syncthreads();
    Told found = exchange(width, row, window_of, rank, int(parts), abandoned);
    for (i64 i = threadIdx.x; i < parts * width; i += blockDim.x) rows[i] = told[i] = found.number(i / width, i % width);
  }
  grid_barrier(arrived, target);
  bool good = true;
  if (threadIdx.x < parts) {
    i64 q = threadIdx.x, before = 0, all = 0;
    for (int p = 0; p < parts; ++p) {
      if (p == rank) before = all;
      all += rows[p * width + q];
    }
    good = all <= room && rows[q * width + parts] == 0;
    shift[q] = before - (spans ? places[q * spans] : 0);
  }
  bool fits = __syncthreads_and(good);
  move_entries(count, owners, int(parts), spans, places, [&](int owner, i64 at, i64 i) {
    ID *to_src = out_src, *to_dst = out_dst;
    char* to_weights = out_weights;
    if (fits) {
      at += shift[owner];
      to_src = (ID*)(window_of[owner] + HEAD_BYTES);
      to_dst = to_src + room;
      to_weights = (char*)(to_dst + room);
    }
    to_src[at] = src[i];
    to_dst[at] = dst[i];
    if (weight_bytes) copy_entry(weight_bytes, to_weights, at, weights, i);
  });
  __threadfence_system();
  grid_barrier(arrived, target);
  if (blockIdx.x == 0) exchange(1, row, window_of, rank, int(parts), abandoned);
}

extern "C" __global__ void __launch_bounds__(SPAN_THREADS, 2) send_arcs_int(
    i64 parts, u32 target, i64 spans, i64 count, const int* src, const int* dst, const char* weights, int together,
    u8* owners, i64* places, int* out_src, int* out_dst, char* out_weights, const u64* errors, i64 num_errors, i64 number,
    int weight_bytes, i64 room, i64* rows, int rank, char* const* window_of, volatile i64* told,
    const volatile u64* abandoned, u32* arrived) {
  send_arcs(
      parts, target, spans, count, src, dst, weights, together, owners, places, out_src, out_dst, out_weights, errors, num_errors,
      number, weight_bytes, room, rows, rank, window_of, told, abandoned, arrived);
}

extern "C" __global__ void __launch_bounds__(SPAN_THREADS, 2) send_arcs_i64(
    i64 parts, u32 target, i64 spans, i64 count, const i64* src, const i64* dst, const char* weights, int together,
    u8* owners, i64* places, i64* out_src, i64* out_dst, char* out_weights, const u64* errors, i64 num_errors, i64 number,
    int weight_bytes, i64 room, i64* rows, int rank, char* const* window_of, volatile i64* told,
    const volatile u64* abandoned, u32* arrived) {
  send_arcs(
      parts, target, spans, count, src, dst, weights, together, owners, places, out_src, out_dst, out_weights, errors, num_errors,
      number, weight_bytes, room, rows, rank, window_of, told, abandoned, arrived);
}
