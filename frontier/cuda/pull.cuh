// The pull: to each vertex that is still allowed, from its neighbors in a bitmap, until it is no longer allowed.
// Macros: see visit.cuh.
#pragma once
#include "frontier/cuda/bits.cuh"
#include "frontier/cuda/visit.cuh"

constexpr int PATIENCE = 2;  // segments that one thread scans before a warp continues

// The vertices that a pull goes to, and the output of the reached ones. Whole warps call it together, from multiples of
// 32 on.

// All: each warp writes a word of the bitmap.
struct AllVertices {
  i64 count;

  __device__ __forceinline__ VID at(i64 i) const { return i < count ? VID(i) : VID(-1); }
  __device__ __forceinline__ void note(u32* bits, i64 i, VID, bool joined) const {
    u32 members = __ballot_sync(0xffffffffu, joined);
    if ((threadIdx.x & 31) == 0) bits[i >> 5] = members;
  }
};

// The vertices of a list without duplicates, usually runs of 32. The bitmap was zero before.
struct ListedVertices {
  i64 count;
  const i64* vertices;

  __device__ __forceinline__ VID at(i64 i) const { return i < count ? VID(vertices[i]) : VID(-1); }
  __device__ __forceinline__ void note(u32* bits, i64, VID v, bool joined) const {
    int lane = threadIdx.x & 31;
    VID first = __shfl_sync(0xffffffffu, v, 0);
    u32 members = __ballot_sync(0xffffffffu, joined);
    if (__all_sync(0xffffffffu, v < 0 || v == first + lane) && (first & 31) == 0) {
      if (members && lane == 0) bits[first >> 5] = members;
    } else if (joined) {
      set_bit(bits, v);
    }
  }
};

// One thread a vertex. Vertices that need many segments go to `rest`. `view`: the graph whose arcs lead back to members
// of the frontier. counters: [0] reached vertices, [1] arcs of `leaving` that leave them. All threads of the grid call
// it.
template <class Vertices>
__device__ void pull_from_each(
    const Vertices& vertices, const View& view, const View& leaving, const u32* bits, u32* out_bits,
    u64* counters, VID* rest, u32* num_rest ARG_PARAMS) {
  __shared__ u32 block_members;
  __shared__ u64 block_arcs;
  if (threadIdx.x == 0) block_members = 0, block_arcs = 0;
  __syncthreads();
  u32 my_members = 0;
  u64 my_arcs = 0;
  i64 count = (vertices.count + 31) / 32 * 32;  // whole warps
  GRID_STRIDE(i, count) {
    VID v = vertices.at(i);
    bool joined = false;
    if (v >= 0 && ALLOWED(v)) {
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
    vertices.note(out_bits, i, v, joined);
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

// The vertices that could not be settled soon, one warp each, from the segment where their thread stopped.
__device__ void pull_from_rest(
    const View& view, const View& leaving, const u32* bits, u32* out_bits, u64* counters, const VID* rest,
    u32 size ARG_PARAMS) {
  int lane = threadIdx.x & 31;
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
