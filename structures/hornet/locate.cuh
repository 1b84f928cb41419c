// Looking up a batch.
#pragma once
#include "structures/hornet/layout.cuh"

// Position of an arc in its source's list, or ~ of where it would go.
typedef VID Slot;
__device__ __forceinline__ i64 slot_in_pool(const View& view, i64 v, Slot position) { return view.records[v].start + position; }

#include "structures/changes/changes.cuh"

// Looks up sorted keys, one by each thread, and counts their changes.
extern "C" __global__ void __launch_bounds__(TILE)
locate(i64 count, const Record* records, const VID* neighbors, const i64* keys, i64 bits, i64 shift, bool present,
       Slot* slots, u64* sums, u64* counters) {
  SortedKeys sorted{count, keys, bits, shift};
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    bool arc = sorted.is_last(i), found = false;
    Slot known = -1;
    if (arc) {
      Record record = load_record(records, sorted.source(i));
      i64 dst = sorted.destination(i), end = record.start + record.degree();
      i64 slot = lower_bound(neighbors, record.start, end, dst), position = slot - record.start;
      found = slot < end && neighbors[slot] == dst;
      known = Slot(found ? position : ~position);
    }
    if (i < count) slots[i] = known;
    count_tile(sorted, tile, arc, found, present, sums, counters);
  }
}
