// Lists that grow and shrink by whole pages. cpu.py has the same for one list after another.
#pragma once
#include "structures/blocks/kernels.cuh"

#define PAGES 4  // index in the counters: the pages that an update allocates or frees

// The difference that an update makes to a list. Among all pages that the update allocates or frees, numbered from 0,
// the pages of this list are consecutive: level by level, in the order of the list.
struct Difference {
  List shorter, longer;  // before and after an insertion, or after and before a deletion
  i64 first;             // number of the first page that only the longer list has

  // The number of page `place` of a level.
  __device__ i64 rank(int level, i64 place) const {
    i64 rank = first + place - shorter.size(level);
    for (int below = 0; below < level; ++below) rank += longer.size(below) - shorter.size(below);
    return rank;
  }
};

// The free pages: the ones in the queue, from its end, then the ones that were never used.
struct Supply {
  const int* queue;
  i64 queued, used;
  __device__ i64 page(i64 rank) const { return rank < queued ? i64(queue[queued - 1 - rank]) : used + rank - queued; }
};

struct Growth : Difference {
  Supply supply;

  __device__ Growth(Record record, i64 changes, i64 first, Supply supply)
      : Difference{List(record), List(degree_of(record) + changes, 0), first}, supply(supply) {}

  __device__ i64 page(const View& view, int level, i64 place) const {
    if (place >= shorter.size(level)) return supply.page(rank(level, place));
    return shorter.page(view.neighbors, view.links, level, place);
  }
  __device__ i64 head() const {
    bool same = shorter.pages > 0 && shorter.levels == longer.levels;
    return same ? shorter.head : supply.page(rank(longer.levels, 0));
  }

  // Puts a new page of neighbors into the chain and the directory. The first page under a new index page puts that one
  // into the level above, too.
  __device__ void attach(const View& view, i64 place) const {
    i64 below = page(view, 0, place);
    if (place > 0) view.links[page(view, 0, place - 1)] = int(below);
    if (place > 0 && place == shorter.pages) raise(view);
    for (int level = 1; level <= longer.levels; ++level) {
      i64 at = place_in_page(place);
      place >>= PAGE_BITS;
      i64 index = page(view, level, place);
      view.neighbors[index << PAGE_BITS | at] = VID(below);
      if (at > 0) break;
      below = index;
    }
  }

  // Puts the old pages, or the old root, into the first index page of the lowest new level, and that page into the next
  // level, and so on.
  __device__ void raise(const View& view) const {
    i64 below = shorter.head;
    for (int level = shorter.levels + 1; level <= longer.levels; ++level) {
      i64 index = supply.page(rank(level, 0));
      view.neighbors[index << PAGE_BITS] = VID(below);
      for (i64 at = 1; level == 1 && at < shorter.pages; ++at) {
        below = view.links[below];
        view.neighbors[index << PAGE_BITS | at] = VID(below);
      }
      below = index;
    }
  }
};

struct Shrinkage : Difference {
  int* returned;  // where pages go in the queue

  __device__ Shrinkage(Record record, i64 changes, i64 first, int* returned)
      : Difference{List(degree_of(record) - changes, 0), List(record), first}, returned(returned) {}

  __device__ i64 page(const View& view, int level, i64 place) const {
    return longer.page(view.neighbors, view.links, level, place);
  }
  __device__ i64 head(const View& view) const {
    if (shorter.pages == 0) return 0;
    return shorter.levels == longer.levels ? longer.head : page(view, shorter.levels, 0);
  }
  __device__ void give_back(const View& view, int level, i64 place) const {
    returned[rank(level, place)] = int(page(view, level, place));
  }

  // Gives back a page of neighbors. The first page under an index page that is needed no more gives that back, too.
  __device__ void detach(const View& view, i64 place) const {
    give_back(view, 0, place);
    if (place > 0 && place == shorter.pages)
      for (int level = shorter.levels + 1; level <= longer.levels; ++level) give_back(view, level, 0);
    for (int level = 1; level <= longer.levels && place_in_page(place) == 0; ++level) {
      place >>= PAGE_BITS;
      give_back(view, level, place);
    }
  }
};

// Numbers the pages that each list allocates or frees, and adds them up. Changes nothing of the graph.
extern "C" __global__ void plan(
    i64 count, View view, const VID* group_vertex, const i64* group_start, bool inserting, i64* first_page, u64* counters) {
  __shared__ u64 first;
  if (group_vertex && i64(counters[GROUPS]) < count) count = i64(counters[GROUPS]);
  for (i64 base = i64(blockIdx.x) * blockDim.x; base < count; base += i64(gridDim.x) * blockDim.x) {
    i64 g = base + threadIdx.x, pages = 0, total;
    if (g < count) {
      i64 degree = degree_of(view.records[group_vertex ? group_vertex[g] : VID(g)]);
      i64 changes = group_start[g + 1] - group_start[g];
      i64 now = List(degree, 0).total(), then = List(inserting ? degree + changes : degree - changes, 0).total();
      pages = inserting ? then - now : now - then;
    }
    i64 before = block_exclusive(pages, total);
    if (threadIdx.x == 0) first = total ? atomicAdd(counters + PAGES, u64(total)) : 0;
    __syncthreads();
    if (g < count) first_page[g] = i64(first) + before;
  }
}

// Allocates the pages that lists need for their changes. Counters are null when a graph is built. The thread of the
// first change in a page attaches it, so a hub's many pages are no more work for any thread than one.
extern "C" __global__ void grow(
    i64 count, View view, const VID* group_vertex, const i64* group_start, const int* change_group,
    const i64* first_page, const int* queue, i64 queued, i64 used, const u64* counters) {
  if (counters) count = at_most(count, counters[CHANGES]);
  GRID_STRIDE(i, count) {
    i64 g = change_group[i];
    Record record = view.records[group_vertex ? group_vertex[g] : VID(g)];
    i64 place = degree_of(record) + i - group_start[g];
    if (place_in_page(place) != 0) continue;
    Growth growth(record, group_start[g + 1] - group_start[g], first_page[g], Supply{queue, queued, used});
    growth.attach(view, place >> PAGE_BITS);
  }
}

// Puts the pages that lists lose into the queue, each by the thread of its first position.
extern "C" __global__ void shrink(
    i64 count, View view, const VID* group_vertex, const i64* group_start, const int* change_group,
    const i64* first_page, int* returned, const u64* counters) {
  count = at_most(count, counters[CHANGES]);
  GRID_STRIDE(i, count) {
    i64 g = change_group[i];
    Record record = view.records[group_vertex[g]];
    i64 place = degree_of(record) - (group_start[g + 1] - i);
    if (place_in_page(place) != 0) continue;
    Shrinkage shrinkage(record, group_start[g + 1] - group_start[g], first_page[g], returned);
    shrinkage.detach(view, place >> PAGE_BITS);
  }
}

// Writes the records of lists that have allocated or freed their pages.
extern "C" __global__ void commit(
    i64 count, View view, const VID* group_vertex, const i64* group_start, bool inserting, const i64* first_page,
    const int* queue, i64 queued, i64 used, const u64* counters) {
  if (counters) count = at_most(count, counters[GROUPS]);
  GRID_STRIDE(g, count) {
    i64 changes = group_start[g + 1] - group_start[g];
    if (changes == 0) continue;
    Record* at = view.records + (group_vertex ? group_vertex[g] : VID(g));
    Record record = *at;
    if (inserting) {
      Growth growth(record, changes, first_page[g], Supply{queue, queued, used});
      *at = (degree_of(record) + changes) << 32 | growth.head();
    } else {
      Shrinkage shrinkage(record, changes, first_page[g], nullptr);
      *at = (degree_of(record) - changes) << 32 | shrinkage.head(view);
    }
  }
}
