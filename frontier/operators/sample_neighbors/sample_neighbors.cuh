// CUDA kernels of sample_neighbors. Macros: VIEW_HEADER, VID, WEIGHT, ARG_PARAMS, ARG_NAMES, WEIGHTED, and TYPE, the C
// type of the edges' types. Without TYPE, `types` is null.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/philox.cuh"
#include "frontier/cuda/tile.cuh"

#if defined(TYPE) || defined(WEIGHTED)
#define SKIPS  // some neighbors cannot be in a sample
#endif
#ifndef TYPE
#define TYPE i8
#endif

extern "C" __device__ int op(VID src, VID dst, i64 edge, Weight weight ARG_PARAMS);

// Whether a slot has an arc that can be in a sample: of the type, and of positive weight.
__device__ __forceinline__ bool is_eligible(const View& view, i64 slot, const TYPE* types, i64 type) {
  if (view.neighbors[slot] < 0) return false;
  if (types && i64(types[edge_of(view, slot)]) != type) return false;
#ifdef WEIGHTED
  if (!(weight_of(view, slot) > 0)) return false;
#endif
  return true;
}

// The functor, for the first `limit` neighbors of each vertex of a list: one thread a vertex, or one warp if many
// neighbors may be skipped.
extern "C" __global__ void sample(
    i64 count, i64 limit, const TYPE* types, i64 type, View view, const VID* vertices ARG_PARAMS) {
#ifdef SKIPS
  Tile<32> tile;
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) >> 5; i < count; i += i64(gridDim.x) * blockDim.x >> 5) {
    VID u = vertices[i];
    i64 segments = view.segments(u), left = limit;
    for (i64 s = 0; s < segments && left > 0; ++s) {
      Run run = view.segment(u, s);
      do {
        for (i64 first = run.low; first < run.high && left > 0; first += 32) {
          i64 slot = first + tile.lane;
          bool joins = slot < run.high && is_eligible(view, slot, types, type);
          u32 found = tile.ballot(joins);
          if (joins && __popc(found & ((1u << tile.lane) - 1)) < left)
            op(u, view.neighbors[slot], edge_of(view, slot), weight_of(view, slot) ARG_NAMES);
          left -= __popc(found);
        }
        if (left <= 0) break;
        run = view.next_run(run);
      } while (run.handle >= 0);
    }
  }
#else
  GRID_STRIDE(i, count) {
    VID u = vertices[i];
    i64 segments = view.segments(u), left = limit;
    for (i64 s = 0; s < segments && left > 0; ++s) {
      Run run = view.segment(u, s);
      do {
        for (i64 slot = run.low; slot < run.high && left > 0; ++slot) {
          VID v = view.neighbors[slot];
          if (v < 0) continue;
          op(u, v, edge_of(view, slot), weight_of(view, slot) ARG_NAMES);
          --left;
        }
        if (left == 0) break;
        run = view.next_run(run);
      } while (run.handle >= 0);
    }
  }
#endif
}

// The arc that is drawn for a key: the smaller of two, by their keys and then by their ends.
struct Drawn {
  double key;
  VID neighbor;
  i64 slot;

  __device__ bool operator<(const Drawn& other) const {
    return key < other.key || (key == other.key && neighbor < other.neighbor);
  }
};

// The functor, for the `limit` neighbors of each vertex of a list whose random keys are lowest, one warp a vertex. Keys
// depend on the two ends, so a sample is independent of the arcs' positions. Each round finds the arc that follows.
extern "C" __global__ void sample_randomly(
    i64 count, i64 limit, i64 seed, const TYPE* types, i64 type, View view, const VID* vertices ARG_PARAMS) {
  constexpr double NEVER = 1.7976931348623157e308;  // above any key
  int lane = threadIdx.x & 31;
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) >> 5; i < count; i += i64(gridDim.x) * blockDim.x >> 5) {
    VID u = vertices[i];
    i64 segments = view.segments(u), rounds = view.degree(u) < limit ? view.degree(u) : limit;
    Drawn last{-1, -1, -1};
    for (i64 round = 0; round < rounds; ++round) {
      Drawn best{NEVER, -1, -1};
      for (i64 s = 0; s < segments; ++s) {
        Run run = view.segment(u, s);
        do {
          for (i64 slot = run.low + lane; slot < run.high; slot += 32) {
            if (!is_eligible(view, slot, types, type)) continue;
            VID v = view.neighbors[slot];
            double key = random_at(seed, u, v);
#ifdef WEIGHTED
            key = -log(1 - key) / double(weight_of(view, slot));
#endif
            Drawn drawn{key, v, slot};
            if (last < drawn && (best.slot < 0 || drawn < best)) best = drawn;
          }
          run = view.next_run(run);
        } while (run.handle >= 0);
      }
#pragma unroll
      for (int offset = 16; offset > 0; offset /= 2) {
        Drawn other{__shfl_xor_sync(0xffffffffu, best.key, offset), __shfl_xor_sync(0xffffffffu, best.neighbor, offset),
                    __shfl_xor_sync(0xffffffffu, best.slot, offset)};
        if (other.slot >= 0 && (best.slot < 0 || other < best)) best = other;
      }
      if (best.slot < 0) break;  // the remaining ones are never drawn
      if (lane == 0)
        op(u, best.neighbor, edge_of(view, best.slot), weight_of(view, best.slot) ARG_NAMES);
      last = best;
    }
  }
}
