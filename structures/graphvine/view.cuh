// The neighbor iterator over GraphVine, and the way through the tree of edge blocks. A segment is SEGMENT consecutive
// slots of a block, or a whole one where blocks are smaller.
#pragma once
#include "frontier/cuda/view.cuh"

// The edge sentinel of a vertex. Block i of its list, counted level by level from the root, is root + i for i < straight.
// Without neighbors all is 0.
struct alignas(16) Record {
  int root, last, degree, straight;
};

__device__ inline Record load_record(const Record* records, i64 v) {
  int4 all = reinterpret_cast<const int4*>(records)[v];
  return {all.x, all.y, all.z, all.w};
}

// The number of block i of a list. The bits of i + 1 after the first are its path from the root: 0 is left, 1 right.
// Ancestors among the straight blocks need no walk, so the path starts from the lowest of these.
__device__ inline i64 block_of(const int2* children, const Record& record, i64 i) {
  if (i < record.straight) return record.root + i;
  u32 node = u32(i) + 1;
  int below = 0;
  while (node >> below > u32(record.straight)) ++below;
  int block = record.root + int(node >> below) - 1;
  while (below--) {
    int2 both = children[block];
    block = node >> below & 1 ? both.y : both.x;
  }
  return block;
}

template <class Key> struct KeyVector;
template <> struct KeyVector<int> { typedef int4 type; };
template <> struct KeyVector<i64> { typedef longlong2 type; };

__device__ inline int key_at(const int4& keys, int i) {
  return i == 0 ? keys.x : i == 1 ? keys.y : i == 2 ? keys.z : keys.w;
}
__device__ inline i64 key_at(const longlong2& keys, int i) { return i == 0 ? keys.x : keys.y; }

struct View {
  static constexpr bool sorted = false;
  static constexpr int SEGMENT_BITS = 5;
  const Record* records;
  int2* children;  // of each block: numbers of the left and the right block below it
  VID* neighbors;
  WEIGHT* weights;
  i64 bits;        // a block has 2**bits neighbors

  __device__ i64 degree(VID v) const { return records[v].degree; }
  __device__ int segment_bits() const { return bits < SEGMENT_BITS ? int(bits) : SEGMENT_BITS; }
  __device__ i64 segments(VID v) const { return (degree(v) + (i64(1) << segment_bits()) - 1) >> segment_bits(); }
  __device__ Run segment(VID v, i64 i) const {
    Record record = load_record(records, v);
    i64 p = i << segment_bits(), low = slot_of(record, p), size = i64(1) << segment_bits();
    return {0, low, low + (p + size < record.degree ? size : record.degree - p)};
  }
  __device__ Run next_run(const Run&) const { return {-1, 0, 0}; }

  // The slot of position p of v's list.
  __device__ i64 slot_of(VID v, i64 p) const { return slot_of(load_record(records, v), p); }
  __device__ i64 slot_of(const Record& record, i64 p) const {
    i64 i = p >> bits;
    i64 block = i == i64(record.degree - 1) >> bits ? i64(record.last) : block_of(children, record, i);
    return block << bits | (p & ((i64(1) << bits) - 1));
  }

  __device__ i64 find(VID u, VID v) const {
    typedef typename KeyVector<VID>::type Keys;
    constexpr int WIDTH = 16 / int(sizeof(VID)), AT_ONCE = 128 / int(sizeof(VID));
    Record record = load_record(records, u);
    for (i64 p = 0; p < record.degree; p += i64(1) << bits) {
      i64 base = slot_of(record, p), held = record.degree - p;
      if (held > i64(1) << bits) held = i64(1) << bits;
      for (i64 first = 0; first < held; first += AT_ONCE) {
        const Keys* vectors = reinterpret_cast<const Keys*>(neighbors + base + first);
        Keys keys[AT_ONCE / WIDTH];
#pragma unroll
        for (int j = 0; j < AT_ONCE / WIDTH; ++j)  // all loads first: they overlap
          if (first + j * WIDTH < held) keys[j] = vectors[j];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
          if (first + k < held && key_at(keys[k / WIDTH], k % WIDTH) == v) return base + first + k;
      }
    }
    return -1;
  }
};
