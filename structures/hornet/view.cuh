// The neighbor iterator over Hornet. A segment is SEGMENT consecutive slots, in blocks of that size and above one
// aligned piece of memory.
#pragma once
#include "frontier/cuda/view.cuh"

#define CLASS_BITS 6
#define CLASS_MASK 63

// The record of a vertex: the first slot of its block (-1 for none), and degree << CLASS_BITS | class of the block.
struct alignas(16) Record {
  i64 start, meta;
  __device__ i64 degree() const { return meta >> CLASS_BITS; }
  __device__ int block_class() const { return int(meta & CLASS_MASK); }
};

__device__ inline Record load_record(const Record* records, i64 v) {
  longlong2 both = reinterpret_cast<const longlong2*>(records)[v];
  return {both.x, both.y};
}

// First of positions low..high whose element is not below key.
template <class T>
__device__ i64 lower_bound(const T* array, i64 low, i64 high, i64 key) {
  while (low < high) {
    i64 middle = (low + high) >> 1;
    if (array[middle] < key) low = middle + 1; else high = middle;
  }
  return low;
}

struct View {
  static constexpr bool sorted = true;
  static constexpr int SEGMENT = 32;
  const Record* records;
  VID* neighbors;
  WEIGHT* weights;

  __device__ i64 degree(VID v) const { return records[v].degree(); }
  __device__ i64 segments(VID v) const { return (degree(v) + SEGMENT - 1) / SEGMENT; }
  __device__ Run segment(VID v, i64 i) const {
    Record record = load_record(records, v);
    i64 low = record.start + i * SEGMENT, end = record.start + record.degree();
    return {0, low, low + SEGMENT < end ? low + SEGMENT : end};
  }
  __device__ Run next_run(const Run&) const { return {-1, 0, 0}; }
  __device__ i64 find(VID u, VID v) const {
    Record record = load_record(records, u);
    i64 end = record.start + record.degree();
    i64 slot = lower_bound(neighbors, record.start, end, v);
    return slot < end && neighbors[slot] == v ? slot : -1;
  }
};
