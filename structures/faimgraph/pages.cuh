// Lists of pages. cpu.py has the same functions.
//
// A page is PAGE slots of the pool. The pages of a vertex's neighbors are linked. A list of more than CHAIN_PAGES pages
// also has a directory of index pages from the same pool, by which any of its pages is a few reads away. Pages of level
// 1 contain the numbers of the neighbors' pages in order, pages of level 2 the numbers of the pages of level 1, and so
// on up to a root. Their number follows from the degree.
#pragma once
#include "frontier/cuda/view.cuh"

#define PAGE (1 << PAGE_BITS)
#define CHAIN_PAGES 4  // a list of so many pages has no directory (cpu.py has the same number)

// The record of a vertex: degree << 32 | the root of its directory, or its first page without one. 0 without neighbors.
typedef i64 Record;
__device__ __forceinline__ i64 degree_of(Record record) { return record >> 32; }

__device__ __forceinline__ i64 place_in_page(i64 place) { return place & (PAGE - 1); }

struct List {
  i64 head, pages;
  int levels;

  __device__ List(i64 degree, i64 head) : head(head), pages((degree + PAGE - 1) >> PAGE_BITS), levels(0) {
    if (pages > CHAIN_PAGES) levels = (64 - __clzll(pages - 1) + PAGE_BITS - 1) / PAGE_BITS;
  }
  __device__ explicit List(Record record) : List(degree_of(record), record & 0xffffffff) {}

  // Number of pages of a level. Level 0 has the pages of neighbors.
  __device__ i64 size(int level) const {
    return level > levels ? 0 : (pages + (i64(1) << PAGE_BITS * level) - 1) >> PAGE_BITS * level;
  }
  // Number of pages of all levels.
  __device__ i64 total() const {
    i64 sum = pages;
    for (int level = 1; level <= levels; ++level) sum += size(level);
    return sum;
  }
  // Page number `place` of a level.
  __device__ i64 page(const VID* neighbors, const int* links, int level, i64 place) const {
    i64 page = head;
    if (levels == 0) {
      for (; place > 0; --place) page = links[page];
      return page;
    }
    for (int below = levels - 1; below >= level; --below)
      page = neighbors[page << PAGE_BITS | place_in_page(place >> PAGE_BITS * (below - level))];
    return page;
  }
};
