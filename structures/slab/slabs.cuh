// Slabs: how keys lie in them, and how one thread or a tile of four lanes looks through one. Macros: VID, SLAB_WORDS,
// SLAB_STRIDE.
//
// A slab is SLAB_WORDS words of type VID: keys and tombstones, then EMPTY from the first free word on. The last word is
// the number of the slab that follows in the chain, or EMPTY. Slabs start SLAB_STRIDE words apart. Weights as wide as
// keys lie between them, in the order of the keys. Key i of a slab has the slot slab * SLAB_STRIDE + i.
#pragma once
#include "frontier/cuda/tile.cuh"

#ifndef SLAB_WORDS
#define SLAB_WORDS 16
#endif
#ifndef SLAB_STRIDE
#define SLAB_STRIDE SLAB_WORDS
#endif

constexpr int SLAB_KEYS = SLAB_WORDS - 1;

// The record of a vertex: its first base slab, or -1, and the numbers of buckets, keys and tombstones of its table.
// cpu_slabs.py names the columns likewise.
struct alignas(16) Record {
  int base, buckets, degree, tombstones;
};
enum Loading { PLAIN, CONSTANT, SHARED };  // SHARED bypasses the L1 cache, where other threads may be writing

template <Loading HOW = PLAIN>
__device__ inline Record load_record(const Record* records, i64 v) {
  const int4* from = reinterpret_cast<const int4*>(records) + v;
  int4 all = HOW == SHARED ? __ldcg(from) : HOW == CONSTANT ? __ldg(from) : *from;
  return {all.x, all.y, all.z, all.w};
}

template <class Key> struct KeyVector;
template <> struct KeyVector<int> { typedef int4 type; };
template <> struct KeyVector<i64> { typedef longlong2 type; };
typedef KeyVector<VID>::type Keys;  // 16 bytes of keys, loaded at once
constexpr int VECTOR_KEYS = 16 / int(sizeof(VID));
constexpr int SLAB_VECTORS = SLAB_WORDS / VECTOR_KEYS;

__device__ inline int key_at(const int4& keys, int i) {
  return i == 0 ? keys.x : i == 1 ? keys.y : i == 2 ? keys.z : keys.w;
}
__device__ inline i64 key_at(const longlong2& keys, int i) { return i == 0 ? keys.x : keys.y; }

// The bucket of a key in a table of `buckets`: the high half of hash * buckets.
__device__ inline int bucket_of(VID key, int buckets) {
  u32 x = u32(key);
  if (sizeof(VID) == 8) x ^= u32(u64(key) >> 32) * 0x9E3779B1u;
  x *= 0x9E3779B1u;
  x ^= x >> 15;
  x *= 0x85EBCA6Bu;
  return int(__umulhi(x, u32(buckets)));
}

// The result of a search in a slab: below FREE the position of the key. Below NOTHING, FREE + the position of the first
// empty word. NOTHING without either.
constexpr int FREE = 32, NOTHING = 64;

// A tile searches a slab for a key, every lane in a part of it. `part_end` is the last word of the lane's part, which
// in the last lane is the link. Loads bypass the L1 cache if other threads may be writing.
template <bool SHARED>
__device__ inline int look(const Tile<4>& tile, const VID* slab, VID key, VID& part_end) {
  constexpr int LOADS = SLAB_VECTORS / 4;
  const Keys* vectors = reinterpret_cast<const Keys*>(slab) + tile.lane;
  Keys parts[LOADS];
#pragma unroll
  for (int j = 0; j < LOADS; ++j) parts[j] = SHARED ? __ldcg(vectors + 4 * j) : __ldg(vectors + 4 * j);
  int seen = NOTHING;
#pragma unroll
  for (int j = LOADS - 1; j >= 0; --j) {
#pragma unroll
    for (int c = VECTOR_KEYS - 1; c >= 0; --c) {
      VID word = key_at(parts[j], c);
      int position = (4 * j + tile.lane) * VECTOR_KEYS + c;
      int what = word == key ? position : word == EMPTY ? FREE + position : NOTHING;
      bool link = j == LOADS - 1 && c == VECTOR_KEYS - 1 && tile.lane == 3;
      if (!link && what < seen) seen = what;
    }
  }
  part_end = key_at(parts[LOADS - 1], VECTOR_KEYS - 1);
  return tile.reduce(seen, Min());
}

// Prefetches the half of a slab with weights while its keys are searched. A store of a few bytes to memory that is not
// in the cache costs as much as an atomic, since the bytes around them must be read later. An insertion of 2^20 arcs
// with weights lasted 208 us without this on an H200, and 142 us with it.
__device__ inline void expect_weights(const Tile<4>& tile, const VID* slab) {
#ifdef __CUDA_ARCH__
  if (SLAB_STRIDE > SLAB_WORDS && tile.lane < 2)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(reinterpret_cast<const char*>(slab + SLAB_WORDS) + 32 * tile.lane));
#endif
}

// One thread looks for a key in 64 bytes of a chain. It is bound by latency: finding common neighbors lasted 1.3 times
// as long with 32 bytes at a time, which more often do not suffice. `place` is the index of the words in the pool. It
// becomes the index of the next ones, or -1 if the key is not in them. Returns the slot of the key, or -1.
__device__ inline i64 look_on(const VID* pool, i64& place, VID key) {
  constexpr int LOADS = 4, WORDS = LOADS * VECTOR_KEYS;
  const i64 begin = place;
  const Keys* vectors = reinterpret_cast<const Keys*>(pool + begin);
  Keys parts[LOADS];
#pragma unroll
  for (int i = 0; i < LOADS; ++i) parts[i] = vectors[i];
  VID last = key_at(parts[LOADS - 1], VECTOR_KEYS - 1);
  const bool linked = SLAB_WORDS == WORDS || begin % SLAB_STRIDE == SLAB_WORDS - WORDS;  // whether the last word is the link
  bool there = false;
#pragma unroll
  for (int c = 0; c < WORDS; ++c) there |= key_at(parts[c / VECTOR_KEYS], c % VECTOR_KEYS) == key;
  place = last == EMPTY ? i64(-1) : linked ? i64(last) * SLAB_STRIDE : begin + WORDS;
  if (!there) return -1;
  int found = WORDS - 1;
#pragma unroll
  for (int c = WORDS - 2; c >= 0; --c)
    if (key_at(parts[c / VECTOR_KEYS], c % VECTOR_KEYS) == key) found = c;
  if (found == WORDS - 1 && linked) return -1;  // it is the link that looks like the key
  place = -1;
  return begin + found;
}
