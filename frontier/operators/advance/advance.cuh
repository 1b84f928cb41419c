// CUDA kernels of advance. Macros: see visit.cuh.
#pragma once
#include "frontier/cuda/last_block.cuh"
#include "frontier/cuda/pull.cuh"
#include "frontier/cuda/visit.cuh"

// At the end of the last launch of an advance, by all threads of all blocks. The last block reports to the host the
// number of vertices (or arcs) in the output and the arcs that leave them, and resets the counters to zero. Without an
// outcome, another launch follows.
__device__ void report_outcome(u64* counters, volatile u64* outcome) {
  if (!outcome || !is_last_block(counters + 3) || threadIdx.x >= 4) return;
  outcome[threadIdx.x] = threadIdx.x < 2 ? __ldcg(counters + threadIdx.x) : 0;
  counters[threadIdx.x] = 0;
}

#if BALANCE == BY_MERGE

// Comes before push: prepares the vertices, and counts their segments.
extern "C" __global__ void measure(i64 count, View view, const VID* vertices, i64* ends ARG_PARAMS) {
  auto vertex_of = [&](i64 i) {
    VID u = vertices[i];
    PREPARE(u);
    return u;
  };
  measure_items(view, count, vertex_of, ends);
}
#define PREPARED(u) (void)0

#else
#define PREPARED(u) PREPARE(u)
#endif

// From each vertex of a list to its neighbors, `items` vertices to a block at a time.
extern "C" __global__ void __launch_bounds__(BLOCK) push(
    i64 count, int items, View view, const VID* vertices, OUT_PARAMS, PLAN_PARAMS ARG_PARAMS) {
  MAKE_OUTPUT(output, PUSH_LIST, OUT_LIST, counters);
  PUSH_BODY;
  auto vertex_of = [&](i64 i) {
    VID u = vertices[i];
    PREPARED(u);
    return u;
  };
  expand(view, count, items, vertex_of, PLAN, body, [&] { output.flush(view); });
  report_outcome(counters, outcome);
}

#if BALANCE == BY_TILE

// The pieces of vertices with very many neighbors that push deferred.
extern "C" __global__ void __launch_bounds__(BLOCK) push_pieces(
    i64 count, View view, const VID* vertices, OUT_PARAMS, PLAN_PARAMS ARG_PARAMS) {
  if (*num_pieces) {
    MAKE_OUTPUT(output, PUSH_LIST, OUT_LIST, counters);
    PUSH_BODY;
    auto vertex_of = [&](i64 i) { return vertices[i]; };
    expand_queue(view, vertex_of, PLAN, body, [&] { output.flush(view); }, [&] { return output.is_filling(); });
  }
  report_outcome(counters, outcome);
}

#endif

// A pull, and the part of it that runs after the first.
extern "C" __global__ void __launch_bounds__(BLOCK) pull(
    i64 num_vertices, View view, View leaving, const u32* bits, u32* out_bits, u64* counters, VID* rest,
    u32* num_rest ARG_PARAMS) {
  pull_from_each(AllVertices{num_vertices}, view, leaving, bits, out_bits, counters, rest, num_rest ARG_NAMES);
}

extern "C" __global__ void __launch_bounds__(BLOCK) pull_rest(
    i64, View view, View leaving, const u32* bits, u32* out_bits, u64* counters, const VID* rest,
    const u32* num_rest ARG_PARAMS) {
  pull_from_rest(view, leaving, bits, out_bits, counters, rest, *num_rest ARG_NAMES);
}
