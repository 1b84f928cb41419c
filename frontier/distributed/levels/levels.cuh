// CUDA kernels that send what a push has reached to the parts that own it, and combine it there. Macros: VIEW_HEADER, VID.
//
// A message is a header (how many vertices there are) and columns of `room` entries: the vertices, and the entries of each
// array. The first messages of a level have a fixed room, so that nobody waits for counts before they travel. To a part for
// which that is too little, all travels in a second message, whose room is its count rounded up.
#pragma once
#include "frontier/cuda/tile.cuh"
#include VIEW_HEADER

constexpr int MOST_PARTS = 32, MOST_COLUMNS = 4, WIDE = 256, SOLO = 1024;
constexpr i64 HEADER = 16;  // bytes

// Of the numbers of a level (levels/__init__.py has the same): those of this part, and those of all parts.
constexpr int MEMBERS = 0, ARCS = 1, LEFT = 2, TOTALS = 4, ROWS = 8;

// How an entry combines. `FOLLOW`: it is taken where that of the leader is better.
enum Rule { LEAST, GREATEST, ADD, OR, FOLLOW };
// Types of entries, as levels/__init__.py numbers them.
enum Type { TRUTH, INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT32, FLOAT64 };

__device__ __forceinline__ i64 size_of(int type) {
  return type <= UINT8 ? 1 : type == INT32 || type == UINT32 || type == FLOAT32 ? 4 : 8;
}

// The arrays that travel, those with a rule first. `codes` has 16 bits for each: type, rule and leader, of 4 bits.
struct Columns {
  int count;
  u64 codes;
  char* data[MOST_COLUMNS];

  __device__ __forceinline__ int code(int c) const { return int(codes >> 16 * c & 0xffff); }
  __device__ __forceinline__ int type(int c) const { return code(c) & 15; }
  __device__ __forceinline__ int rule(int c) const { return code(c) >> 4 & 15; }
  __device__ __forceinline__ int leader(int c) const { return code(c) >> 8 & 15; }
  // Bytes of an entry of each and of a vertex.
  __device__ __forceinline__ i64 width() const {
    i64 sum = sizeof(VID);
#pragma unroll
    for (int c = 0; c < MOST_COLUMNS; ++c) {
      if (c < count) sum += size_of(type(c));
    }
    return sum;
  }
};

#define COLUMN_PARAMS int num_columns, u64 codes, char* data0, char* data1, char* data2, char* data3
#define COLUMNS Columns{num_columns, codes, {data0, data1, data2, data3}}

__device__ __forceinline__ i64 rounded_up(i64 count) { return (count + 7) / 8 * 8; }
__device__ __forceinline__ i64 bytes_of(i64 room, i64 width) { return HEADER + room * width; }
__device__ __forceinline__ u64* header_of(char* messages, int part, i64 stride) { return (u64*)(messages + part * stride); }

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
  return old + value;
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
  return true;
}

// Combines an entry with one that was received; returns whether it has changed.
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

// Pair i of a message: vertex `v` with its entries, as of now.
__device__ __forceinline__ void put_pair(const Columns& columns, char* message, i64 room, i64 i, VID v) {
  char* at = message + HEADER;
  ((VID*)at)[i] = v;
  at += room * i64(sizeof(VID));
#pragma unroll
  for (int c = 0; c < MOST_COLUMNS; ++c) {
    if (c < columns.count) {
      i64 size = size_of(columns.type(c));
      copy_entry(size, at, i, columns.data[c], i64(v));
      at += room * size;
    }
  }
}

// Combines pair i of a message. Returns whether that has improved the vertex; where no array has a rule, all are.
__device__ __forceinline__ bool take_pair(const Columns& columns, const char* message, i64 room, i64 i, VID& v) {
  const char* at = message + HEADER;
  v = ((const VID*)at)[i];
  at += room * i64(sizeof(VID));
  u32 better = 0;
#pragma unroll
  for (int c = 0; c < MOST_COLUMNS; ++c) {
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

// Before a level: all numbers are zero but how many vertices were in the frontier; so are the headers.
extern "C" __global__ void begin(
    i64 count, u64* numbers, i64 entered, i64 reached_at, i64 reached, char* messages, i64 parts, i64 stride) {
  GRID_STRIDE(i, count) {
    numbers[i] = i == TOTALS - 1 ? u64(entered) : i == reached_at ? u64(reached) : 0;
    if (i < parts) *header_of(messages, int(i), stride) = 0;
  }
}

// Distributes what was reached, `*number` vertices without duplicates: own ones become members, others go into messages.
// `again`: into the second ones, `cursors` counts what is in them.
extern "C" __global__ void __launch_bounds__(WIDE) pack(
    i64, View view, const u64* number, const VID* reached, const u8* owners, int rank, int parts, i64 room,
    char* messages, char* more, int* stamps, int epoch, VID* members, u64* numbers, u64* cursors, COLUMN_PARAMS) {
  __shared__ u32 held[MOST_PARTS];
  __shared__ u64 starts[MOST_PARTS];
  __shared__ i64 offsets[MOST_PARTS];
  Columns columns = COLUMNS;
  i64 width = columns.width(), stride = bytes_of(room, width);
  int lane = threadIdx.x & 31;
  bool again = more != nullptr;
  if (again && threadIdx.x == 0) {
    i64 offset = 0;
    for (int p = 0; p < parts; ++p) {
      offsets[p] = offset;
      i64 sent = i64(*header_of(messages, p, stride));
      if (sent > room) offset += bytes_of(rounded_up(sent), width);
    }
  }
  i64 size = i64(*number);
  u64 arcs = 0;
  for (i64 base = i64(blockIdx.x) * WIDE; base < size; base += i64(gridDim.x) * WIDE) {
    if (threadIdx.x < parts) held[threadIdx.x] = 0;
    __syncthreads();
    i64 i = base + threadIdx.x, sent = 0;
    int owner = -1;
    VID v = 0;
    if (i < size) {
      v = reached[i];
      owner = owners[v];
      if (again) {
        sent = owner == rank ? 0 : i64(*header_of(messages, owner, stride));
        if (sent <= room) owner = -1;
      }
    }
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
      int p = int(threadIdx.x);
      u64* cursor = p == rank ? numbers + MEMBERS : again ? cursors + p : header_of(messages, p, stride);
      starts[p] = atomicAdd(cursor, u64(held[p]));
    }
    __syncthreads();
    if (owner < 0) continue;
    i64 place = i64(starts[owner]) + at;
    if (owner == rank) {
      members[place] = v;
      stamps[v] = epoch;
      arcs += u64(view.degree(v));
    } else if (again) {
      put_pair(columns, more + offsets[owner], rounded_up(sent), place, v);
    } else if (place < room) {
      put_pair(columns, messages + owner * stride, room, place, v);
    }
  }
  arcs = Tile<32>().reduce(arcs, Sum());
  if (lane == 0 && arcs) atomicAdd(numbers + ARCS, arcs);
}

// Clears what was packed to be added elsewhere: into the first messages, or `again` into the second ones.
extern "C" __global__ void forget(
    i64, const u64* number, const VID* reached, const u8* owners, int rank, i64 room, char* messages, int again,
    COLUMN_PARAMS) {
  Columns columns = COLUMNS;
  i64 stride = bytes_of(room, columns.width()), size = i64(*number);
  GRID_STRIDE(i, size) {
    VID v = reached[i];
    int owner = owners[v];
    if (owner == rank || (i64(*header_of(messages, owner, stride)) > room) != (again != 0)) continue;
    for (int c = 0; c < columns.count; ++c) {
      if (columns.rule(c) != ADD) continue;
      i64 bytes = size_of(columns.type(c));
      char* entry = columns.data[c] + i64(v) * bytes;
      if (bytes == 4) *(u32*)entry = 0;
      else if (bytes == 8) *(u64*)entry = 0;
      else *entry = 0;
    }
  }
}

// Combines the messages of all other parts, one after another, so that a vertex that several have sent is combined in their
// order; by one block. `received` has none of this part. Leaves a row of counts: what was sent to each, and received.
extern "C" __global__ void __launch_bounds__(SOLO) combine_messages(
    i64, View view, char* messages, char* received, int rank, int parts, i64 room, int* stamps, int epoch, VID* members,
    u64* numbers, COLUMN_PARAMS) {
  Columns columns = COLUMNS;
  i64 stride = bytes_of(room, columns.width());
  u64 arcs = 0;
  for (int p = 0; p < parts; ++p) {
    if (p == rank) continue;
    char* message = received + (p - (p > rank)) * stride;
    i64 count = i64(*(const u64*)message);
    if (threadIdx.x == 0) {
      numbers[ROWS + p] = *header_of(messages, p, stride);
      numbers[ROWS + parts + p] = u64(count);
      if (count > room) numbers[LEFT] += u64(count);
    }
    if (count <= room) {
      for (i64 i = threadIdx.x; i < count; i += SOLO) {
        VID v;
        if (take_pair(columns, message, room, i, v) && atomicExch(stamps + v, epoch) != epoch) {
          members[atomicAdd(numbers + MEMBERS, 1ull)] = v;
          arcs += u64(view.degree(v));
        }
      }
    }
    __syncthreads();
  }
  arcs = Tile<32>().reduce(arcs, Sum());
  if ((threadIdx.x & 31) == 0 && arcs) atomicAdd(numbers + ARCS, arcs);
}

// Combines the second message of another part, of `count` pairs.
extern "C" __global__ void combine_message(
    i64 count, View view, const char* messages, i64 offset, int* stamps, int epoch, VID* members, u64* numbers,
    COLUMN_PARAMS) {
  Columns columns = COLUMNS;
  const char* message = messages + offset;
  i64 room = rounded_up(count), whole = (count + 31) / 32 * 32;
  int lane = threadIdx.x & 31;
  u64 arcs = 0;
  GRID_STRIDE(i, whole) {
    VID v = 0;
    bool joins = i < count && take_pair(columns, message, room, i, v) && atomicExch(stamps + v, epoch) != epoch;
    u32 alike = __ballot_sync(0xffffffffu, joins);
    if (alike == 0) continue;
    u64 start = 0;
    if (lane == 0) start = atomicAdd(numbers + MEMBERS, u64(__popc(alike)));
    start = __shfl_sync(0xffffffffu, start, 0);
    if (joins) {
      members[start + u64(__popc(alike & ((1u << lane) - 1)))] = v;
      arcs += u64(view.degree(v));
    }
  }
  arcs = Tile<32>().reduce(arcs, Sum());
  if (lane == 0 && arcs) atomicAdd(numbers + ARCS, arcs);
}
