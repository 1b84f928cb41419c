// The neighbor-iterator interface in CUDA (frontier/core/view.py describes it). A structure's view.cuh defines
//
//   struct View {
//     static constexpr bool sorted;
//     ...                                  // pointers and i64s, eight bytes each, as in the named tuple of its cpu.py
//     VID* neighbors;                      // by slot, negative if the slot is empty
//     WEIGHT* weights;                     // by slot, null in graphs without weights
//     i64 degree(VID v) const;
//     i64 segments(VID v) const;
//     Run segment(VID v, i64 i) const;
//     Run next_run(const Run& run) const;  // handle < 0 at the end
//     i64 find(VID u, VID v) const;        // slot or -1, by one thread on its own
//   };
//
// for the macros VID and WEIGHT. If look-ups need different numbers of memory accesses, it also has
//
//     struct Table { i64 place_of(VID v) const; };                   // the start of a look-up of v. Negative: absent
//     Table table(VID u) const;                                      // what all look-ups of neighbors of u need
//     i64 look(const Table& table, i64& place, VID v) const;         // one access: slot or -1, `place` < 0 at the end
//
// Views are read by kernels that change nothing of the graph.
#pragma once
#include "frontier/cuda/types.cuh"

struct Run {
  i64 handle, low, high;
};

// The Table of a view that has none: a look-up is one access. table_of(view, u, 0) prefers the view's own, if there is one.
template <class V>
struct WholeTable {
  VID u;
  __device__ i64 place_of(VID) const { return 0; }
};
template <class V>
__device__ __forceinline__ auto table_of(const V& view, VID u, int) -> decltype(view.table(u)) {
  return view.table(u);
}
template <class V>
__device__ __forceinline__ WholeTable<V> table_of(const V&, VID u, long) {
  return {u};
}
template <class V, class Table>
__device__ __forceinline__ i64 look(const V& view, const Table& table, i64& place, VID v) {
  return view.look(table, place, v);
}
template <class V>
__device__ __forceinline__ i64 look(const V& view, const WholeTable<V>& table, i64& place, VID v) {
  place = -1;
  return view.find(table.u, v);
}
