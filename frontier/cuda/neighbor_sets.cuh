// Sets of neighbors in shared memory, which a team of threads fills and looks vertices up in. A member has a place, at
// which the caller may count: find(v, found) calls found(place) if v is one. Lists are of distinct vertices.
#pragma once
#include "frontier/cuda/scan.cuh"

constexpr int BITS = 65536;  // members of a set of bits differ by less

// SIZE threads that share a set: a warp, or a block.
template <int SIZE>
struct Team {
  static constexpr int size = SIZE;
  static __device__ u32 thread() { return threadIdx.x & (SIZE - 1); }
  static __device__ void sync() {
    if (SIZE == 32) __syncwarp(); else __syncthreads();
  }
  // Whether it is true for any thread. Synchronizes the team.
  static __device__ bool any(bool predicate) {
    if (SIZE != 32) return __syncthreads_or(predicate);
    bool found = __any_sync(0xffffffffu, predicate);
    __syncwarp();
    return found;
  }
};

// One bit for each id from the first member of a sorted list to the last. The place of a member is the number of members
// below it. Looking up an id that is no member reads one word at most.
struct BitSet {
  struct Memory {
    u32 words[BITS / 32];
    unsigned short before[BITS / 32];
  };
  Memory& memory;
  VID low;
  u32 size, places;

  // All 256 threads of a block call it.
  __device__ BitSet(Memory& memory, const VID* list, u32 count)
      : memory(memory), low(list[0]), size(u32(list[count - 1] - list[0]) + 1), places(count) {
    const u32 words = (size + 31) / 32, each = BITS / 32 / Team<256>::size, first = threadIdx.x * each;
    for (u32 i = threadIdx.x; i < words; i += blockDim.x) memory.words[i] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
      u32 at = u32(list[i] - low);
      atomicOr(memory.words + (at >> 5), 1u << (at & 31));
    }
    __syncthreads();
    u32 members = 0, total;
    for (u32 i = first; i < first + each && i < words; ++i) members += __popc(memory.words[i]);
    u32 before = block_exclusive(members, total);
    for (u32 i = first; i < first + each && i < words; ++i) {
      memory.before[i] = before;
      before += __popc(memory.words[i]);
    }
  }
  template <class Found>
  __device__ __forceinline__ void find(VID v, Found found) const {
    u64 at = sizeof(VID) == 4 ? u64(u32(v - low)) : u64(v - low);
    if (at >= size) return;
    u32 i = u32(at) >> 5, word = memory.words[i], bit = 1u << (at & 31);
    if (word & bit) found(memory.before[i] + __popc(word & (bit - 1)));
  }
};

// A hash table with a power of two entries, at least twice as many as members.
template <class Team>
struct HashSet {
  VID* entries;
  u32 places, shift;

  // An empty set for `count` members, after a synchronization. `capacity` is a power of two from 64 on.
  __device__ HashSet(VID* entries, u32 capacity, i64 count) : entries(entries), places(64) {
    while (places < capacity && places < 4 * count) places *= 2;
    shift = __clz(places) + 1;
    for (u32 i = Team::thread(); i < places; i += Team::size) entries[i] = VID(EMPTY);
  }
  // The members of a list, after a synchronization.
  __device__ HashSet(VID* entries, u32 capacity, const VID* list, u32 count) : HashSet(entries, capacity, count) {
    Team::sync();
    for (u32 i = Team::thread(); i < count; i += Team::size) put(list[i]);
  }
  __device__ u32 first_place(VID v) const { return u32(v) * 0x9E3779B1u >> shift; }
  __device__ u32 put(VID v) const {
    u32 h = first_place(v);
    while (compare_and_swap(entries + h, VID(EMPTY), v) != VID(EMPTY)) h = (h + 1) & (places - 1);
    return h;
  }
  template <class Found>
  __device__ __forceinline__ void find(VID v, Found found) const {
    u32 h = first_place(v);
    VID entry;
    while ((entry = entries[h]) != v && entry >= 0) h = (h + 1) & (places - 1);
    if (entry == v) found(h);
  }
};
