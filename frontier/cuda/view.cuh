// The neighbor-iterator interface in CUDA (frontier/view.py describes it). A structure's view.cuh defines
//
//   struct View {
//     static constexpr bool sorted;
//     ...                                  // pointers and i64s, eight bytes each, as in the named tuple of its cpu.py
//     VID* neighbors;                      // by slot; negative where the slot holds none
//     WEIGHT* weights;                     // by slot; null in graphs without weights
//     i64 degree(VID v) const;
//     i64 segments(VID v) const;
//     Run segment(VID v, i64 i) const;
//     Run next_run(const Run& run) const;  // handle < 0 at the end
//     i64 find(VID u, VID v) const;        // slot or -1, by one thread on its own
//   };
//
// for the macros VID and WEIGHT. Views are read by kernels that change nothing of the graph.
#pragma once
#include "frontier/cuda/types.cuh"

struct Run {
  i64 handle, low, high;
};
