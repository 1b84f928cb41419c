// The view of a graph with edge data: the view of its structure, whose `weights` are ids of edges, followed by the
// weights by id. Macros: STRUCTURE_VIEW (the structure's view.cuh), EDGE_WEIGHT.
#pragma once
#define View StructureView
#include STRUCTURE_VIEW
#undef View

struct View : StructureView {
  const EDGE_WEIGHT* weights_by_edge;  // null in graphs without weights
};
