// Columns of arrays by vertex that travel between partitions: vertices with the entries of each array, and how these
// combine with the entries of the partition that owns a vertex. Macros: VID.
#pragma once
#include "frontier/cuda/tile.cuh"

constexpr int MAX_PARTS = 32, MAX_COLUMNS = 4, WIDE = 256;  // WIDE: threads of a block that distributes vertices

// How an entry combines. `FOLLOW`: it is adopted if the leader's entry is better. `COUNTDOWN`: copies are one more than
// the amounts to add, and an entry is better if it reaches 0.
enum Rule { LEAST, GREATEST, ADD, OR, FOLLOW, COUNTDOWN };
// Types of entries, as levels/__init__.py numbers them.
enum Type { TRUTH, INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT32, FLOAT64 };

__device__ __forceinline__ i64 size_of(int type) {
  return type <= UINT8 ? 1 : type == INT32 || type == UINT32 || type == FLOAT32 ? 4 : 8;
}

// The arrays that travel, the ones with a rule first. `codes` has 16 bits for each: type, rule and leader, of 4 bits.
struct Columns {
  int count;
  u64 codes;
  char* data[MAX_COLUMNS];

  __device__ __forceinline__ int code(int c) const { return int(codes >> 16 * c & 0xffff); }
  __device__ __forceinline__ int type(int c) const { return code(c) & 15; }
  __device__ __forceinline__ int rule(int c) const { return code(c) >> 4 & 15; }
  __device__ __forceinline__ int leader(int c) const { return code(c) >> 8 & 15; }
  // Bytes of an entry of each and of a vertex.
  __device__ __forceinline__ i64 width() const {
    i64 sum = sizeof(VID);
#pragma unroll
    for (int c = 0; c < MAX_COLUMNS; ++c) {
      if (c < count) sum += size_of(type(c));
    }
    return sum;
  }
};

#define COLUMN_PARAMS int num_columns, u64 codes, char* data0, char* data1, char* data2, char* data3
#define COLUMNS Columns{num_columns, codes, {data0, data1, data2, data3}}

template <class T>
__device__ __forceinline__ void copy_as(char* to, i64 i, const char* from, i64 j) {
  ((T*)to)[i] = ((const T*)from)[j];
}

__device__ __forceinline__ void copy_entry(i64 size, char* to, i64 i, const char* from, i64 j) {
  if (size == 4) copy_as<u32>(to, i, from, j);
  else if (size == 8) copy_as<u64>(to, i, from, j);
  else copy_as<u8>(to, i, from, j);
}

// As NumPy does it: a NaN stays, and is never equal.
template <class T>
__device__ __forceinline__ T total_of(int rule, T old, T value) {
  if (rule == LEAST) return value < old || value != value ? (old != old ? old : value) : old;
  if (rule == GREATEST) return old < value || value != value ? (old != old ? old : value) : old;
  return rule == COUNTDOWN ? T(old + (value - T(1))) : old + value;
}

template <class T>
__device__ __forceinline__ bool combine_as(int rule, char* array, i64 v, const char* values, i64 i) {
  T old = ((T*)array)[v];
  T total = total_of<T>(rule, old, ((const T*)values)[i]);
  if (total == old) return false;
  ((T*)array)[v] = total;
  return true;
}

template <class T>
__device__ __forceinline__ bool combine_bits(int rule, char* array, i64 v, const char* values, i64 i) {
  T old = ((T*)array)[v], value = ((const T*)values)[i];
  T total = rule == OR ? T(old | value) : total_of<T>(rule, old, value);
  if (total == old) return false;
  ((T*)array)[v] = total;
  return rule != COUNTDOWN || (old > 0 && total <= 0);
}

// Combines an entry with a received one, and returns whether it has changed.
__device__ __forceinline__ bool combine_entry(int type, int rule, char* array, i64 v, const char* values, i64 i) {
  switch (type) {
    case TRUTH: return combine_bits<u8>(rule == ADD ? OR : rule, array, v, values, i);
    case INT8: return combine_bits<i8>(rule, array, v, values, i);
    case UINT8: return combine_bits<u8>(rule, array, v, values, i);
    case INT32: return combine_bits<int>(rule, array, v, values, i);
    case UINT32: return combine_bits<u32>(rule, array, v, values, i);
    case INT64: return combine_bits<i64>(rule, array, v, values, i);
    case UINT64: return combine_bits<u64>(rule, array, v, values, i);
    case FLOAT32: return combine_as<float>(rule, array, v, values, i);
    default: return combine_as<double>(rule, array, v, values, i);
  }
}

// Pair i of a message: vertex `v` with its entries, as of now. The message has capacity for `room` pairs.
__device__ __forceinline__ void put_pair(const Columns& columns, char* at, i64 room, i64 i, VID v) {
  ((VID*)at)[i] = v;
  at += room * i64(sizeof(VID));
#pragma unroll
  for (int c = 0; c < MAX_COLUMNS; ++c) {
    if (c < columns.count) {
      i64 size = size_of(columns.type(c));
      copy_entry(size, at, i, columns.data[c], i64(v));
      at += room * size;
    }
  }
}

// Combines pair i of a message. Returns whether that has improved the vertex. If no array has a rule, all pairs improve
// it.
__device__ __forceinline__ bool take_pair(const Columns& columns, const char* at, i64 room, i64 i, VID& v) {
  v = ((const VID*)at)[i];
  at += room * i64(sizeof(VID));
  u32 better = 0;
#pragma unroll
  for (int c = 0; c < MAX_COLUMNS; ++c) {
    if (c < columns.count) {
      int rule = columns.rule(c);
      i64 size = size_of(columns.type(c));
      if (rule != FOLLOW) {
        if (combine_entry(columns.type(c), rule, columns.data[c], i64(v), at, i)) better |= 1u << c;
      } else if (better >> columns.leader(c) & 1) {
        copy_entry(size, columns.data[c], i64(v), at, i);
      }
      at += room * size;
    }
  }
  return better || columns.count == 0;
}

// Distributes a list of vertices by their owners, all threads of a grid of blocks of WIDE together. owner_of(v): the
// partition, or a negative number to leave v out. cursor_of(p): the counter of partition p. take(p, place, v): called
// for v, which is the vertex number `place` of partition p.
template <class OwnerOf, class CursorOf, class Take>
__device__ void distribute(i64 size, const VID* vertices, int parts, OwnerOf owner_of, CursorOf cursor_of, Take take) {
  __shared__ u32 held[MAX_PARTS];
  __shared__ u64 starts[MAX_PARTS];
  int lane = threadIdx.x & 31;
  for (i64 base = i64(blockIdx.x) * WIDE; base < size; base += i64(gridDim.x) * WIDE) {
    if (threadIdx.x < parts) held[threadIdx.x] = 0;
    __syncthreads();
    i64 i = base + threadIdx.x;
    VID v = i < size ? __ldcg(vertices + i) : VID(0);
    int owner = i < size ? owner_of(v) : -1;
    u32 at = 0;
    for (int p = 0; p < parts; ++p) {
      u32 alike = __ballot_sync(0xffffffffu, owner == p);
      if (alike == 0) continue;
      u32 first = 0;
      if (lane == 0) first = atomicAdd(held + p, u32(__popc(alike)));
      first = __shfl_sync(0xffffffffu, first, 0);
      if (owner == p) at = first + u32(__popc(alike & ((1u << lane) - 1)));
    }
    __syncthreads();
    if (threadIdx.x < parts && held[threadIdx.x]) {
      starts[threadIdx.x] = atomicAdd(cursor_of(int(threadIdx.x)), u64(held[threadIdx.x]));
    }
    __syncthreads();
    if (owner >= 0) take(owner, i64(starts[owner]) + at, v);
  }
}

// Combines a message of `count` pairs, all threads of the grid together. Vertices that it improves and that have no
// stamp of this epoch yet are appended to `members`, of which `*cursor` counts the entries. Returns the arcs that leave
// this thread's.
template <class Graph>
__device__ u64 combine_all(
    const Graph& view, const Columns& columns, const char* message, i64 room, i64 count, int* stamps, int epoch,
    VID* members, u64* cursor) {
  i64 whole = (count + 31) / 32 * 32;
  int lane = threadIdx.x & 31;
  u64 arcs = 0;
  GRID_STRIDE(i, whole) {
    VID v = 0;
    bool joins = i < count && take_pair(columns, message, room, i, v) && atomicExch(stamps + v, epoch) != epoch;
    u32 alike = __ballot_sync(0xffffffffu, joins);
    if (alike == 0) continue;
    u64 start = 0;
    if (lane == 0) start = atomicAdd(cursor, u64(__popc(alike)));
    start = __shfl_sync(0xffffffffu, start, 0);
    if (joins) {
      members[start + u64(__popc(alike & ((1u << lane) - 1)))] = v;
      arcs += u64(view.degree(v));
    }
  }
  return arcs;
}

// Adds up a number of all threads, a warp at a time.
__device__ __forceinline__ void add_up(u64* to, u64 number) {
  number = Tile<32>().reduce(number, Sum());
  if ((threadIdx.x & 31) == 0 && number) atomicAdd(to, number);
}
