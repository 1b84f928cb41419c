// CUDA kernel of sample_temporal_neighbors. Macros: VIEW_HEADER, VID, WEIGHT; LATEST or FADES, for what the keys are.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/philox.cuh"
#include "frontier/cuda/tile.cuh"

#ifdef LATEST
using Key = i64;
#else
using Key = double;
#endif

// The edge that is taken first: the lower of two keys, of equal ones the smaller neighbor.
struct Taken {
  Key key;
  VID neighbor;
  i64 edge;

  __device__ bool operator<(const Taken& other) const {
    return key < other.key || (key == other.key && neighbor < other.neighbor);
  }
};

// A function for each neighbor of u over an edge before the limit, by the lanes of a warp.
template <class Function>
__device__ __forceinline__ void each_before(
    const View& view, VID u, i64 limit, bool closed, const i64* times, Function function) {
  i64 segments = view.segments(u);
  for (i64 s = 0; s < segments; ++s) {
    Run run = view.segment(u, s);
    do {
      for (i64 slot = run.low + (threadIdx.x & 31); slot < run.high; slot += 32) {
        VID v = view.neighbors[slot];
        if (v < 0) continue;
        i64 edge = edge_of(view, slot), time = times[edge];
        if (time < limit || (closed && time == limit)) function(v, edge, time);
      }
      run = view.next_run(run);
    } while (run.handle >= 0);
  }
}

// Those neighbors of each vertex of a list, over edges before its limit, whose keys are lowest; one warp a vertex. Each
// round finds the edge that follows, so that they are written in order.
extern "C" __global__ void sample(
    i64 count, View view, const VID* vertices, const i64* limits, bool closed, const i64* starts, const i64* times,
    i64 seed, double rate, VID* ids, i64* edges, i64* found) {
  int lane = threadIdx.x & 31;
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) >> 5; i < count; i += i64(gridDim.x) * blockDim.x >> 5) {
    VID u = vertices[i];
    i64 limit = limits[i], base = starts[i], room = starts[i + 1] - base, held = 0;
#ifdef FADES
    i64 newest = i64(1ull << 63);  // ages are measured against the newest edge: only their differences count
    each_before(view, u, limit, closed, times, [&](VID, i64, i64 time) { newest = time > newest ? time : newest; });
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      i64 other = __shfl_xor_sync(0xffffffffu, newest, offset);
      newest = other > newest ? other : newest;
    }
#endif
    Taken last{0, -1, -1};
    for (; held < room; ++held) {
      Taken best{0, -1, -1};
      each_before(view, u, limit, closed, times, [&](VID v, i64 edge, i64 time) {
#ifdef LATEST
        Key key = ~time;
#else
        Key key = random_at(seed, i, v);
#ifdef FADES
        key = log(-log(1 - key)) + rate * double(u64(newest) - u64(time));
#endif
#endif
        Taken taken{key, v, edge};
        if ((last.edge < 0 || last < taken) && (best.edge < 0 || taken < best)) best = taken;
      });
#pragma unroll
      for (int offset = 16; offset > 0; offset /= 2) {
        Taken other{__shfl_xor_sync(0xffffffffu, best.key, offset), __shfl_xor_sync(0xffffffffu, best.neighbor, offset),
                    __shfl_xor_sync(0xffffffffu, best.edge, offset)};
        if (other.edge >= 0 && (best.edge < 0 || other < best)) best = other;
      }
      if (best.edge < 0) break;  // all that are before the limit are taken
      if (lane == 0) {
        ids[base + held] = best.neighbor;
        edges[base + held] = best.edge;
      }
      last = best;
    }
    if (lane == 0) found[i] = held;
  }
}
