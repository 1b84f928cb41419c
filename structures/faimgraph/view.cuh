// The neighbor iterator over pages. A segment is one page, or two if pages have less than 128 bytes. A page is a run.
#pragma once
#include "structures/faimgraph/pages.cuh"

struct View {
  static constexpr bool sorted = false;
  static constexpr int SEGMENT = PAGE * sizeof(VID) >= 128 ? PAGE : 2 * PAGE;
  Record* records;
  VID* neighbors;
  WEIGHT* weights;
  int* links;  // by page: the page that follows
  i64 page_bits;

  __device__ i64 degree(VID v) const { return degree_of(records[v]); }
  __device__ i64 segments(VID v) const { return (degree(v) + SEGMENT - 1) / SEGMENT; }
  __device__ Run segment(VID v, i64 i) const {
    Record record = records[v];
    i64 first = i * SEGMENT, left = degree_of(record) - first;
    i64 page = List(record).page(neighbors, links, 0, first >> PAGE_BITS);
    return run_of(page, left < SEGMENT ? left : SEGMENT);
  }
  __device__ Run next_run(const Run& run) const {
    i64 left = run.handle & 0xffffffff;
    if (left == 0) return {-1, 0, 0};
    return run_of(links[run.handle >> 32], left);
  }
  // The slot of position `place` of a list.
  __device__ i64 slot_of(VID v, i64 place) const {
    return List(records[v]).page(neighbors, links, 0, place >> PAGE_BITS) << PAGE_BITS | place_in_page(place);
  }
  __device__ i64 find(VID u, VID v) const {
    Record record = records[u];
    i64 left = degree_of(record);
    if (left == 0) return -1;
    for (i64 page = List(record).page(neighbors, links, 0, 0);;) {
      i64 next = left > PAGE ? links[page] : -1;  // on its way while the page is looked through
      i64 at = find_in_page(page << PAGE_BITS, v);
      if (at >= 0) return place_in_page(at) < left ? at : -1;
      if (next < 0) return -1;
      page = next;
      left -= PAGE;
    }
  }

  // The run at the start of a piece of `left` neighbors. The handle is the page and the number of neighbors that follow
  // it.
  static __device__ Run run_of(i64 page, i64 left) {
    i64 low = page << PAGE_BITS, here = left < PAGE ? left : PAGE;
    return {page << 32 | (left - here), low, low + here};
  }
  // The first slot of a page that contains v, or -1. Slots behind the list's end are read too.
  __device__ i64 find_in_page(i64 first, VID v) const {
    constexpr int WIDE = 16 / sizeof(VID), LOADS = PAGE / WIDE < 4 ? PAGE / WIDE : 4, STEP = WIDE * LOADS;
    for (int from = 0; from < PAGE; from += STEP) {
      alignas(16) VID entries[STEP];
      const longlong2* wide = reinterpret_cast<const longlong2*>(neighbors + first + from);
#pragma unroll
      for (int k = 0; k < LOADS; ++k) reinterpret_cast<longlong2*>(entries)[k] = wide[k];  // together: they overlap
      int found = -1;
#pragma unroll
      for (int k = STEP - 1; k >= 0; --k)
        if (entries[k] == v) found = from + k;
      if (found >= 0) return first + found;
    }
    return -1;
  }
};
