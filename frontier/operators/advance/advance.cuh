// CUDA kernels of advance. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, HAS_CONDITION, HAS_PREPARE, TILE_SIZE,
// BALANCE; EDGE_OUTPUT, to put out arcs, REPEATS, to put out vertices as often as they are reached, or NO_OUTPUT.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/output.cuh"
#include "frontier/cuda/functor.cuh"

extern "C" __device__ int op(VID src, VID dst, i64 edge, Weight weight ARG_PARAMS);

// Called once for each vertex of a frontier, before its edges.
#ifdef HAS_PREPARE
extern "C" __device__ void prepare(VID src ARG_PARAMS);
#define PREPARE(u) prepare(u ARG_NAMES)
#else
#define PREPARE(u) (void)0
#endif

// What a push puts out, and where.
#ifdef EDGE_OUTPUT
#define PUSH_LIST ArcList
#define OUT_PARAMS VID* out, i64* out_slots, u64* counters
#define OUT_LIST ArcList{out, out_slots}
#define JOIN(u, v, slot) output.append(view, {slot, u})
#else
#define PUSH_LIST VertexList
#define OUT_PARAMS int* stamps, int epoch, VID* out, u64* counters
#define OUT_LIST VertexList{out}
#if defined(NO_OUTPUT)
#define JOIN(u, v, slot) (void)0
#elif defined(REPEATS)
#define JOIN(u, v, slot) output.append(view, v)
#else
#define JOIN(u, v, slot) if (atomicExch(stamps + v, epoch) != epoch) output.append(view, v)
#endif
#endif

#define PUSH_BODY                                                                                              \
  auto body = [&](i64, VID u, VID v, i64 slot, bool valid) {                                                   \
    if (valid && ALLOWED(v) && op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES)) {               \
      JOIN(u, v, slot);                                                                                        \
    }                                                                                                          \
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

// From each vertex of a list to its neighbors; `items` vertices to a block at a time.
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
}

#if BALANCE == BY_TILE

// The pieces of vertices with very many neighbors that push deferred.
extern "C" __global__ void __launch_bounds__(BLOCK) push_pieces(
    i64 count, View view, const VID* vertices, OUT_PARAMS, PLAN_PARAMS ARG_PARAMS) {
  if (*num_pieces == 0) return;
  MAKE_OUTPUT(output, PUSH_LIST, OUT_LIST, counters);
  PUSH_BODY;
  expand_queue(view, [&](i64 i) { return vertices[i]; }, PLAN, body, [&] { output.flush(view); });
}

#endif

__device__ __forceinline__ bool has_bit(const u32* bits, VID v) { return bits[v >> 5] >> (v & 31) & 1; }

constexpr int PATIENCE = 2;  // segments that one thread looks through before a warp takes over

// To each vertex that is still allowed, from its neighbors in a bitmap, until it is allowed no more. One thread a vertex;
// vertices that it cannot settle soon go to `rest`. `count` is the number of vertices rounded up to whole words.
extern "C" __global__ void __launch_bounds__(BLOCK) pull(
    i64 count, i64 num_vertices, View view, View leaving, const u32* bits, u32* out_bits, u64* counters, VID* rest,
    u32* num_rest ARG_PARAMS) {
  __shared__ u32 block_members;
  __shared__ u64 block_arcs;
  if (threadIdx.x == 0) block_members = 0, block_arcs = 0;
  __syncthreads();
  u32 my_members = 0;
  u64 my_arcs = 0;
  GRID_STRIDE(i, count) {
    VID v = VID(i);
    bool joined = false;
    if (i < num_vertices && ALLOWED(v)) {
      i64 segments = view.segments(v);
      bool wanted = true;
      for (i64 s = 0; s < segments && wanted; ++s) {
        if (s == PATIENCE) {
          rest[atomicAdd(num_rest, 1u)] = v;
          break;
        }
        Run run = view.segment(v, s);
        do {
          for (i64 slot = run.low; slot < run.high; ++slot) {
            VID u = view.neighbors[slot];
            if (u >= 0 && has_bit(bits, u)) {
              if (op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES)) joined = true;
              if (!ALLOWED(v)) {
                wanted = false;
                break;
              }
            }
          }
          if (!wanted) break;
          run = view.next_run(run);
        } while (run.handle >= 0);
      }
    }
    u32 members = __ballot_sync(0xffffffffu, joined);
    if ((threadIdx.x & 31) == 0) out_bits[i >> 5] = members;
    if (joined) {
      ++my_members;
      my_arcs += u64(leaving.degree(v));
    }
  }
  my_members = Tile<32>().reduce(my_members, Sum());
  my_arcs = Tile<32>().reduce(my_arcs, Sum());
  if ((threadIdx.x & 31) == 0 && my_members) {
    atomicAdd(&block_members, my_members);
    atomicAdd(&block_arcs, my_arcs);
  }
  __syncthreads();
  if (threadIdx.x == 0 && block_members) {
    atomicAdd(counters, u64(block_members));
    atomicAdd(counters + 1, block_arcs);
  }
}

// The vertices that pull could not settle soon, one warp each, from the segment where it stopped.
extern "C" __global__ void __launch_bounds__(BLOCK) pull_rest(
    i64 count, View view, View leaving, const u32* bits, u32* out_bits, u64* counters, const VID* rest,
    const u32* num_rest ARG_PARAMS) {
  int lane = threadIdx.x & 31;
  u32 size = *num_rest;
  for (u32 k = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; k < size; k += gridDim.x * blockDim.x >> 5) {
    VID v = rest[k];
    i64 segments = view.segments(v);
    bool joined = false, wanted = true;
    for (i64 s = PATIENCE; s < segments && wanted; ++s) {
      Run run = view.segment(v, s);
      do {
        for (i64 base = run.low; base < run.high && wanted; base += 32) {
          i64 slot = base + lane;
          VID u = slot < run.high ? view.neighbors[slot] : VID(EMPTY);
          u32 hits = __ballot_sync(0xffffffffu, u >= 0 && has_bit(bits, u));
          while (hits && wanted) {  // one hit at a time, as a single thread would
            int first = __ffs(hits) - 1;
            hits &= hits - 1;
            bool joins = false;
            if (lane == first) {
              joins = op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES);
              wanted = ALLOWED(v);
            }
            joined |= __shfl_sync(0xffffffffu, int(joins), first) != 0;
            wanted = __shfl_sync(0xffffffffu, int(wanted), first) != 0;
          }
        }
        run = view.next_run(run);
      } while (run.handle >= 0 && wanted);
    }
    if (joined && lane == 0 && !(atomicOr(out_bits + (v >> 5), 1u << (v & 31)) >> (v & 31) & 1)) {
      atomicAdd(counters, 1ull);
      atomicAdd(counters + 1, u64(leaving.degree(v)));
    }
  }
}
