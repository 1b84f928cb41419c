// Entries of arrays by vertex, from the partitions that own the vertices to all other partitions, by kernels that see
// each other's memory. Macros: VID.
#pragma once
#include "frontier/distributed/exchange/levels/columns.cuh"

constexpr int AT_ONCE = 4;  // vertices of a thread whose entries are on their way together

// Some vertices of a thread. `is_meant` marks the ones whose entries are copied: entry first + at(k) of an array is
// entry at(k) of the message.
struct SomeVertices {
  i64 first, start, stride;
  bool is_meant[AT_ONCE];

  __device__ __forceinline__ i64 at(int k) const { return start + k * stride; }
};

// The vertices from `start` on, in steps of `stride`, below `count`, of which `wants` the owner.
template <class Wants>
__device__ __forceinline__ SomeVertices
choose(i64 first, i64 start, i64 stride, i64 count, const u8* owners, Wants wants) {
  SomeVertices some{first, start, stride, {}};
#pragma unroll
  for (int k = 0; k < AT_ONCE; ++k) {
    i64 i = some.at(k);
    some.is_meant[k] = i < count && wants(int(owners[first + i]));
  }
  return some;
}

// To each of `copies` addresses, which target(p) returns, or null for none.
template <class T, class Target>
__device__ __forceinline__ void send_as(const SomeVertices& some, const char* array, int copies, Target target) {
  T values[AT_ONCE];
#pragma unroll
  for (int k = 0; k < AT_ONCE; ++k) {
    if (some.is_meant[k]) values[k] = ((const T*)array)[some.first + some.at(k)];
  }
  for (int p = 0; p < copies; ++p) {
    T* to = (T*)target(p);
    if (to == nullptr) continue;
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      if (some.is_meant[k]) to[some.at(k)] = values[k];
    }
  }
}

template <class T>
__device__ __forceinline__ void receive_as(const SomeVertices& some, char* array, const char* from) {
  T values[AT_ONCE];
#pragma unroll
  for (int k = 0; k < AT_ONCE; ++k) {
    if (some.is_meant[k]) values[k] = ((const T*)from)[some.at(k)];
  }
#pragma unroll
  for (int k = 0; k < AT_ONCE; ++k) {
    if (some.is_meant[k]) ((T*)array)[some.first + some.at(k)] = values[k];
  }
}

// Updates the entries of all vertices on all partitions. All threads of all partitions' grids call it. room_of(p):
// `bytes` of memory of partition p that all partitions write to, each the entries of its own vertices. meet(): a
// barrier of all partitions, false if one does not come. The result is false then, too.
//
// If the memory does not fit the entries of all vertices at once, it makes several rounds, alternating between the two
// halves of the memory, with one barrier each.
template <class RoomOf, class Meet>
__device__ bool share_entries(
    const Columns& columns, const u8* owners, i64 num_vertices, int rank, int parts, i64 bytes, RoomOf room_of, Meet meet) {
  i64 width = columns.width() - i64(sizeof(VID)), most = bytes / width / 32 * 32;
  bool by_turns = most < num_vertices;
  if (by_turns) most = bytes / 2 / width / 32 * 32;
  i64 offset = 0, thread = i64(blockIdx.x) * blockDim.x + threadIdx.x, stride = i64(gridDim.x) * blockDim.x;
  for (i64 first = 0; first < num_vertices; first += most) {
    i64 count = first + most < num_vertices ? most : num_vertices - first;
    for (i64 start = thread; start < count; start += AT_ONCE * stride) {
      auto some = choose(first, start, stride, count, owners, [&](int owner) { return owner == rank; });
      i64 at = offset;
#pragma unroll
      for (int c = 0; c < MAX_COLUMNS; ++c) {
        if (c >= columns.count) break;
        auto target = [&](int p) { return p == rank ? nullptr : room_of(p) + at; };
        i64 size = size_of(columns.type(c));
        if (size == 4) send_as<u32>(some, columns.data[c], parts, target);
        else if (size == 8) send_as<u64>(some, columns.data[c], parts, target);
        else send_as<u8>(some, columns.data[c], parts, target);
        at += most * size;
      }
    }
    if (!meet()) return false;
    for (i64 start = thread; start < count; start += AT_ONCE * stride) {
      auto some = choose(first, start, stride, count, owners, [&](int owner) { return owner != rank; });
      const char* from = room_of(rank) + offset;
#pragma unroll
      for (int c = 0; c < MAX_COLUMNS; ++c) {
        if (c >= columns.count) break;
        i64 size = size_of(columns.type(c));
        if (size == 4) receive_as<u32>(some, columns.data[c], from);
        else if (size == 8) receive_as<u64>(some, columns.data[c], from);
        else receive_as<u8>(some, columns.data[c], from);
        from += most * size;
      }
    }
    if (by_turns) offset = offset ? 0 : most * width;
  }
  return true;
}
