// CUDA kernels that send the vertices reached by a push to the partitions that own them, and combine them there.
// Macros: VIEW_HEADER, VID.
//
// A message is a header (the number of vertices) and columns of `room` entries: the vertices, and the entries of each
// array. The first messages of a level have a fixed capacity, so they travel before the counts are known. If that is
// too little for a partition, all its vertices travel in a second message, whose capacity is their count rounded up.
#pragma once
#include "frontier/distributed/exchange/levels/columns.cuh"
#include VIEW_HEADER

constexpr int SOLO = 1024;
constexpr i64 HEADER = 16;  // bytes

// Positions among the numbers of a level (levels/__init__.py has the same): the numbers of this partition, and their
// totals over all partitions.
constexpr int MEMBERS = 0, ARCS = 1, LEFT = 2, TOTALS = 4, ROWS = 8;

__device__ __forceinline__ i64 rounded_up(i64 count) { return (count + 7) / 8 * 8; }
__device__ __forceinline__ i64 bytes_of(i64 room, i64 width) { return HEADER + room * width; }
__device__ __forceinline__ u64* header_of(char* messages, int part, i64 stride) { return (u64*)(messages + part * stride); }

// Before a level: zeroes the headers, and all numbers but the number of vertices in the frontier.
extern "C" __global__ void begin(
    i64 count, u64* numbers, i64 entered, i64 reached_at, i64 reached, char* messages, i64 parts, i64 stride) {
  GRID_STRIDE(i, count) {
    numbers[i] = i == TOTALS - 1 ? u64(entered) : i == reached_at ? u64(reached) : 0;
    if (i < parts) *header_of(messages, int(i), stride) = 0;
  }
}

// Distributes the reached vertices, `*number` without duplicates: own ones become members, all others go into messages.
// `again`: into the second ones, with `cursors` as their counts.
extern "C" __global__ void __launch_bounds__(WIDE) pack(
    i64, View view, const u64* number, const VID* reached, const u8* owners, int rank, int parts, i64 room,
    char* messages, char* more, int* stamps, int epoch, VID* members, u64* numbers, u64* cursors, COLUMN_PARAMS) {
  __shared__ i64 offsets[MAX_PARTS];
  Columns columns = COLUMNS;
  i64 width = columns.width(), stride = bytes_of(room, width);
  bool again = more != nullptr;
  if (again && threadIdx.x == 0) {
    i64 offset = 0;
    for (int p = 0; p < parts; ++p) {
      offsets[p] = offset;
      i64 sent = i64(*header_of(messages, p, stride));
      if (sent > room) offset += bytes_of(rounded_up(sent), width);
    }
  }
  u64 arcs = 0;
  auto owner_of = [&](VID v) {
    int owner = owners[v];
    return again && (owner == rank || i64(*header_of(messages, owner, stride)) <= room) ? -1 : owner;
  };
  auto cursor_of = [&](int p) {
    return p == rank ? numbers + MEMBERS : again ? cursors + p : header_of(messages, p, stride);
  };
  auto take = [&](int owner, i64 place, VID v) {
    if (owner == rank) {
      members[place] = v;
      stamps[v] = epoch;
      arcs += u64(view.degree(v));
    } else if (again) {
      i64 sent = i64(*header_of(messages, owner, stride));
      put_pair(columns, more + offsets[owner] + HEADER, rounded_up(sent), place, v);
    } else if (place < room) {
      put_pair(columns, messages + owner * stride + HEADER, room, place, v);
    }
  };
  distribute(i64(*number), reached, parts, owner_of, cursor_of, take);
  add_up(numbers + ARCS, arcs);
}

// Clears the entries that were packed to be added elsewhere: into the first messages, or `again` into the second ones.
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
      bool counts_down = columns.rule(c) == COUNTDOWN;  // copies are 1 then where there is nothing to add
      if (columns.rule(c) != ADD && !counts_down) continue;
      i64 bytes = size_of(columns.type(c));
      char* entry = columns.data[c] + i64(v) * bytes;
      if (bytes == 4) *(u32*)entry = counts_down;
      else if (bytes == 8) *(u64*)entry = counts_down;
      else *entry = counts_down;
    }
  }
}

// Combines the messages of all other partitions, one after another, by one block: a vertex that several have sent is
// combined in their order. `received` has none of this partition. Leaves a row of counts: the pairs sent to each
// partition, and received.
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
        if (take_pair(columns, message + HEADER, room, i, v) && atomicExch(stamps + v, epoch) != epoch) {
          members[atomicAdd(numbers + MEMBERS, 1ull)] = v;
          arcs += u64(view.degree(v));
        }
      }
    }
    __syncthreads();
  }
  add_up(numbers + ARCS, arcs);
}

// Combines the second message of another partition, of `count` pairs.
extern "C" __global__ void combine_message(
    i64 count, View view, const char* messages, i64 offset, int* stamps, int epoch, VID* members, u64* numbers,
    COLUMN_PARAMS) {
  Columns columns = COLUMNS;
  const char* message = messages + offset + HEADER;
  u64 arcs = combine_all(
      view, columns, message, rounded_up(count), count, stamps, epoch, members, numbers + MEMBERS);
  add_up(numbers + ARCS, arcs);
}
