// CUDA kernel of sample_neighbors. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER

extern "C" __device__ int op(VID src, VID dst, i64 edge, WEIGHT weight ARG_PARAMS);

// The functor, for the first `limit` neighbors of each vertex of a list; one thread a vertex.
extern "C" __global__ void sample(i64 count, i64 limit, View view, const VID* vertices ARG_PARAMS) {
  GRID_STRIDE(i, count) {
    VID u = vertices[i];
    i64 segments = view.segments(u), left = limit;
    for (i64 s = 0; s < segments && left > 0; ++s) {
      Run run = view.segment(u, s);
      do {
        for (i64 slot = run.low; slot < run.high && left > 0; ++slot) {
          VID v = view.neighbors[slot];
          if (v < 0) continue;
          op(u, v, slot, view.weights ? view.weights[slot] : WEIGHT(1) ARG_NAMES);
          --left;
        }
        if (left == 0) break;
        run = view.next_run(run);
      } while (run.handle >= 0);
    }
  }
}
