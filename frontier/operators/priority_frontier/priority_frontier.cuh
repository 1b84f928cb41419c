// CUDA kernels of PriorityFrontier. Macros: VIEW_HEADER, VID, WEIGHT, PRIORITY, SLOT.
//
// deferred: [0] number of members, [1] start of their list, [STATES + v] whether v is a member, then space for two
// lists.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/combine.cuh"
#include "frontier/cuda/grid_barrier.cuh"
#include "frontier/cuda/output.cuh"

#define STATES 2

// The members up to `delta` above the lowest priority, which is found first, go to `out`, the remaining ones to the
// unused list. If `drop`, members up to the limit of the last bucket are removed. One grid-cooperative launch.
// counters, all zero at first: [0] members returned, [1] arcs that leave them, [2] members left, [3] the barrier's
// count. *low is `none`, the highest value, before and after.
extern "C" __global__ void __launch_bounds__(BLOCK, 2) pop(
    i64 num_vertices, View view, SLOT* deferred, const PRIORITY* priority, PRIORITY none, PRIORITY delta, int drop,
    PRIORITY* low, PRIORITY* limit, VID* out, u64* counters) {
  __shared__ PRIORITY of_warp[BLOCK / 32];
  MAKE_OUTPUT(output, VertexList, {out}, counters);
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  u32 barrier = 0;
  u32* arrived = reinterpret_cast<u32*>(counters + 3);
  i64 held = deferred[0], begin = deferred[1];
  i64 spare = begin == STATES + num_vertices ? begin + num_vertices : STATES + num_vertices;
  PRIORITY settled = *limit, lowest = none;
  i64 first = i64(blockIdx.x) * BLOCK + threadIdx.x, stride = i64(gridDim.x) * BLOCK;
  for (i64 i = first; i < held; i += stride) {
    PRIORITY value = priority[deferred[begin + i]];
    if (value < lowest && !(drop && value <= settled)) lowest = value;
  }
  lowest = Tile<32>().reduce(lowest, Min());
  if (lane == 0) of_warp[warp] = lowest;
  __syncthreads();
  if (warp == 0) {
    lowest = Tile<32>().reduce(lane < BLOCK / 32 ? of_warp[lane] : none, Min());
    if (lane == 0 && lowest < none) combine_shared(low, lowest, Min());
  }
  grid_barrier(arrived, barrier);
  lowest = *(volatile PRIORITY*)low;
  PRIORITY most = lowest <= none - delta ? PRIORITY(lowest + delta) : none;
  i64 rounds = (held + stride - 1) / stride;  // the same for all blocks, which flush together
  for (i64 round = 0; round < rounds; ++round) {
    i64 i = first + round * stride;
    bool stays = false;
    VID v = 0;
    if (i < held) {
      v = VID(deferred[begin + i]);
      PRIORITY value = priority[v];
      bool dropped = drop && value <= settled;
      stays = !dropped && value > most;
      if (!stays) deferred[STATES + v] = 0;
      if (!stays && !dropped) output.append(view, v);
    }
    u32 staying = __ballot_sync(0xffffffffu, stays);
    if (staying) {
      u64 start = 0;
      if (lane == 0) start = atomicAdd(counters + 2, u64(__popc(staying)));
      start = __shfl_sync(0xffffffffu, start, 0);
      if (stays) deferred[spare + i64(start) + __popc(staying & ((1u << lane) - 1))] = SLOT(v);
    }
    if ((round + 1) % (OUTPUT_BUFFER<VID> / BLOCK) == 0) {
      __syncthreads();
      output.flush(view);
      __syncthreads();
    }
  }
  __syncthreads();
  output.flush(view);
  grid_barrier(arrived, barrier);
  if (blockIdx.x == 0 && threadIdx.x == 0 && held > 0) {
    deferred[0] = SLOT(*(volatile u64*)(counters + 2));
    deferred[1] = SLOT(spare);
    if (*(volatile u64*)counters > 0) *limit = most;
    *low = none;
  }
}
