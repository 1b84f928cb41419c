// The neighbor iterator over hash tables of slabs. A segment is a bucket, and its runs are the slabs of the chain.
#pragma once
#include "frontier/cuda/view.cuh"
#include "structures/slab/slabs.cuh"

struct View {
  static constexpr bool sorted = false;
  const Record* records;
  VID* neighbors;
  WEIGHT* weights;
  i64 stride, width;

  __device__ i64 degree(VID v) const { return records[v].degree; }
  __device__ i64 segments(VID v) const {
    Record record = load_record(records, v);
    return record.base < 0 ? 0 : record.buckets;
  }
  __device__ Run segment(VID v, i64 i) const { return run_of(records[v].base + i); }
  __device__ Run next_run(const Run& run) const { return run_of(neighbors[run.handle * SLAB_STRIDE + SLAB_KEYS]); }
  __device__ i64 find(VID u, VID v) const {
    Table table = this->table(u);
    i64 slot = -1;
    for (i64 place = table.place_of(v); place >= 0;) slot = look_on(neighbors, place, v);
    return slot;
  }

  struct Table {
    int base, buckets;
    __device__ i64 place_of(VID v) const {
      return base < 0 ? i64(-1) : (i64(base) + bucket_of(v, buckets)) * SLAB_STRIDE;
    }
  };
  __device__ Table table(VID u) const {
    Record record = load_record(records, u);
    return {record.base, record.buckets};
  }
  __device__ i64 look(const Table&, i64& place, VID v) const { return look_on(neighbors, place, v); }

  static __device__ Run run_of(i64 slab) {
    return {slab < 0 ? -1 : slab, slab * SLAB_STRIDE, slab * SLAB_STRIDE + SLAB_KEYS};
  }
};
