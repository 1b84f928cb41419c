// The neighbor iterator for functors that were given a graph (frontier/functor/intrinsics/neighbors.py), which know it
// by its address. Macros: VIEW_HEADER, VID, WEIGHT, and EDGE_WEIGHT with edge data. WALK(function), the name of a
// function for this kind of graph.
//
// Everything included here is private to this file. Kernels that it is linked with have functions of the same names,
// for example of another structure's view, which a linker would treat as the same.
#pragma once
namespace {

#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"

// The contents of the address, in words of eight bytes.
struct TraversableGraph {
  View view;
  i64 num_vertices;
};

// Read as constant memory, so it stays in registers from step to step of a walk.
__device__ __forceinline__ TraversableGraph graph_at(i64 graph) {
  constexpr int WORDS = sizeof(TraversableGraph) / sizeof(i64);
  union {
    TraversableGraph whole;
    i64 words[WORDS];
  } found;
#pragma unroll
  for (int i = 0; i < WORDS; ++i) found.words[i] = __ldg((const i64*)graph + i);
  return found.whole;
}

__device__ __forceinline__ i64 part_of(const Run& run, i64 part) { return part == 0 ? run.handle : part == 1 ? run.low : run.high; }

}  // namespace

extern "C" {
__device__ i64 WALK(num_vertices)(i64 graph) { return graph_at(graph).num_vertices; }
__device__ i64 WALK(degree)(i64 graph, i64 v) { return graph_at(graph).view.degree(VID(v)); }
__device__ i64 WALK(find_edge)(i64 graph, i64 u, i64 v) {
  View view = graph_at(graph).view;
  return edge_of(view, view.find(VID(u), VID(v)));
}
__device__ i64 WALK(segments)(i64 graph, i64 v) { return graph_at(graph).view.segments(VID(v)); }
__device__ i64 WALK(segment)(i64 graph, i64 v, i64 i, i64 part) { return part_of(graph_at(graph).view.segment(VID(v), i), part); }
__device__ i64 WALK(next_run)(i64 graph, i64 run, i64 low, i64 high, i64 part) {
  return part_of(graph_at(graph).view.next_run({run, low, high}), part);
}
__device__ i64 WALK(vertex_at)(i64 graph, i64 slot) { return graph_at(graph).view.neighbors[slot]; }
__device__ i64 WALK(edge_in)(i64 graph, i64 slot) { return edge_of(graph_at(graph).view, slot); }
__device__ Weight WALK(weight_in)(i64 graph, i64 slot) { return weight_of(graph_at(graph).view, slot); }
}
