// A batch in transit. One kernel sorts arcs by owner, and sends the other partitions their numbers. Then it writes the
// arcs into the windows of their owners, and waits for the other partitions' writes. Names end in the type of ids.
#pragma once
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/distributed/partition/partition.cuh"
#include "frontier/distributed/transport/windows.cuh"

// The arcs of a span, sorted by owner: positions are those among them.
struct SortedSpan {
  int before[WARPS][MAX_WINDOWS];  // memory of rank_in_span
  int start[MAX_WINDOWS + 1];      // position of the first arc of each partition
  u8 owner_at[SPAN];                // by position
  i64 to[MAX_WINDOWS];             // from a position here to the arc's position at the owner
  u64 column[SPAN];                 // entries of one column at their positions
};

// Finds the positions of a thread's arcs, -1 for arcs without an owner.
__device__ void sort_span(SortedSpan& sorted, i64 begin, i64 count, const u8* owners, int parts, int (&position)[ROWS]) {
  int owner[ROWS];
  int total = rank_in_span(sorted.before, begin, count, owners, parts, owner, position);
  if (threadIdx.x < parts) sorted.start[threadIdx.x + 1] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    sorted.start[0] = 0;
    for (int p = 0; p < parts; ++p) sorted.start[p + 1] += sorted.start[p];
  }
  __syncthreads();
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    position[row] = owner[row] == NO_PART ? -1 : position[row] + sorted.start[owner[row]];
    if (owner[row] != NO_PART) sorted.owner_at[position[row]] = u8(owner[row]);
  }
}

// Writes a column of a span to the partitions, base_of(p) + position: neighboring threads to neighboring positions,
// since links between GPUs carry whole lines.
template <class T, class BaseOf>
__device__ void write_column(
    SortedSpan& sorted, i64 begin, const T* values, int parts, const int (&position)[ROWS], BaseOf base_of) {
  T* column = (T*)sorted.column;
  int lane = threadIdx.x & 31;
  __syncthreads();
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    if (position[row] >= 0) column[position[row]] = values[begin + row * 32 + lane];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < sorted.start[parts]; i += SPAN_THREADS) {
    int p = sorted.owner_at[i];
    base_of(p)[sorted.to[p] + i] = column[i];
  }
}

// By a grid-cooperative launch, or by one block: moves arcs, and their weights if these have bytes, into the windows of
// the partitions that own them. Behind a head of some bytes, the window has capacity for `room` sources, destinations,
// and weights. Entries of the first partition come first. `received` reports to the host the numbers that all
// partitions have sent each other (find_places). If a partition gets more than its capacity, or one has found errors,
// all partitions move their arcs to new arrays of their own instead.
//
// arrived, target: the counter of the grid's barriers, of which it makes three, and its value before the first one.
// owners, places, rows: memory for an entry of each arc, of each partition and span, and for the numbers that
// partitions exchange.
template <class ID>
__device__ void send_arcs(
    i64 parts, u32 target, i64 spans, i64 count, const ID* src, const ID* dst, const char* weights, int together,
    u8* owners, i64* places, ID* out_src, ID* out_dst, char* out_weights, const u64* errors, i64 num_errors, i64 number,
    int weight_bytes, i64 room, i64* rows, int rank, char* const* window_of, volatile i64* received,
    const volatile u64* abandoned, u32* arrived) {
  __shared__ i64 row[MAX_NUMBERS];
  __shared__ i64 shift[MAX_WINDOWS];  // from a position here to the position in the owner's window
  __shared__ SortedSpan sorted;
  i64 width = parts + 2;
  find_owners<ID>(count, src, nullptr, 0, nullptr, together, int(parts), spans, owners, places);
  grid_barrier(arrived, target);
  if (blockIdx.x == 0) {
    find_places(parts, spans, places, errors, num_errors, number, row);
    __syncthreads();
    Received found = exchange(width, row, window_of, rank, int(parts), abandoned);
    for (i64 i = threadIdx.x; i < parts * width; i += blockDim.x) {
      i64 number = found.number(int(i / width), int(i % width));
      rows[i] = number;
      received[i] = number;
    }
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
  SPANS(span, count) {
    int position[ROWS];
    i64 begin = begin_of_warp(span);
    sort_span(sorted, begin, count, owners, int(parts), position);
    if (threadIdx.x < parts) {
      int p = threadIdx.x;
      sorted.to[p] = places[p * spans + span] + (fits ? shift[p] : 0) - sorted.start[p];
    }
    auto column_of = [&](int p, i64 before, char* own) { return fits ? window_of[p] + HEAD_BYTES + before * room : own; };
    i64 ids = sizeof(ID);
    write_column(sorted, begin, src, parts, position, [&](int p) { return (ID*)column_of(p, 0, (char*)out_src); });
    write_column(sorted, begin, dst, parts, position, [&](int p) { return (ID*)column_of(p, ids, (char*)out_dst); });
    auto weights_of = [&](int p) { return column_of(p, 2 * ids, out_weights); };
    if (weight_bytes == 4) {
      write_column(sorted, begin, (const u32*)weights, parts, position, [&](int p) { return (u32*)weights_of(p); });
    } else if (weight_bytes == 8) {
      write_column(sorted, begin, (const u64*)weights, parts, position, [&](int p) { return (u64*)weights_of(p); });
    }
    __syncthreads();
  }
  __threadfence_system();
  grid_barrier(arrived, target);
  if (fits && blockIdx.x == 0) exchange(1, row, window_of, rank, int(parts), abandoned);  // all partitions find the same
}

extern "C" __global__ void __launch_bounds__(SPAN_THREADS, 2) send_arcs_int(
    i64 parts, u32 target, i64 spans, i64 count, const int* src, const int* dst, const char* weights, int together,
    u8* owners, i64* places, int* out_src, int* out_dst, char* out_weights, const u64* errors, i64 num_errors, i64 number,
    int weight_bytes, i64 room, i64* rows, int rank, char* const* window_of, volatile i64* received,
    const volatile u64* abandoned, u32* arrived) {
  send_arcs(
      parts, target, spans, count, src, dst, weights, together, owners, places, out_src, out_dst, out_weights, errors, num_errors,
      number, weight_bytes, room, rows, rank, window_of, received, abandoned, arrived);
}

extern "C" __global__ void __launch_bounds__(SPAN_THREADS, 2) send_arcs_i64(
    i64 parts, u32 target, i64 spans, i64 count, const i64* src, const i64* dst, const char* weights, int together,
    u8* owners, i64* places, i64* out_src, i64* out_dst, char* out_weights, const u64* errors, i64 num_errors, i64 number,
    int weight_bytes, i64 room, i64* rows, int rank, char* const* window_of, volatile i64* received,
    const volatile u64* abandoned, u32* arrived) {
  send_arcs(
      parts, target, spans, count, src, dst, weights, together, owners, places, out_src, out_dst, out_weights, errors, num_errors,
      number, weight_bytes, room, rows, rank, window_of, received, abandoned, arrived);
}
