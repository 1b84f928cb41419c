// CUDA kernels of edge_support: those of intersect_arcs, with a counter for each arc. Macros: VIEW_HEADER, VID, WEIGHT.
#pragma once
#define HAS_SUPPORT
#include "frontier/operators/intersect_arcs/intersect_arcs.cuh"
