// CUDA kernels of the time of edges. See cpu.py for each. Macro: VID, the type of vertices' ids and of edges'.
#pragma once
#include "frontier/cuda/last_block.cuh"
#include "frontier/features/windows/pushes.cuh"

extern "C" __global__ void store_times(
    i64 count, const VID* src, const VID* dst, const i64* slots, i64 step, bool tagged, bool drops, const i64* times,
    i64* held, bool earliest, VID* ids, VID* src_of, VID* dst_of, i64* logged) {
  GRID_STRIDE(i, count) {
    i64 time = times[i];
    if (logged) logged[i] = time;
    VID id = ids[i];
    if (id < 0) continue;
    if (drops) {
      i64 slot = slots[i * step];
      bool known = tagged ? slot < -1 : slot >= 0;
      if (known && (earliest ? held[id] <= time : held[id] > time)) {
        ids[i] = -1;
        continue;
      }
    }
    held[id] = time;
    if (src_of) {
      src_of[id] = src[i];
      dst_of[id] = dst[i];
    }
  }
}

extern "C" __global__ void time_bounds(i64 count, const i64* times, u64* counters, volatile u64* published) {
  u64 low = 0, high = 0;  // of complements, and of times, as numbers without a sign
  bool unordered = false;
  GRID_STRIDE(i, count) {
    i64 time = times[i];
    u64 flipped = u64(time) ^ 1ull << 63;
    low = ~flipped > low ? ~flipped : low;
    high = flipped > high ? flipped : high;
    if (i > 0 && time < times[i - 1]) unordered = true;
  }
  __syncwarp();
  for (int lanes = 16; lanes; lanes /= 2) {
    u64 other = __shfl_down_sync(0xffffffffu, low, lanes);
    low = other > low ? other : low;
    other = __shfl_down_sync(0xffffffffu, high, lanes);
    high = other > high ? other : high;
  }
  unordered = __any_sync(0xffffffffu, unordered);
  if (threadIdx.x % 32 == 0) {
    atomicMax(counters, low);
    atomicMax(counters + 1, high);
    if (unordered) counters[2] = 1;
  }
  if (!is_last_block(counters + 3) || threadIdx.x >= 4) return;
  published[threadIdx.x] = __ldcg(counters + threadIdx.x);
  counters[threadIdx.x] = 0;
}

extern "C" __global__ void find_split(
    i64 count, const i64* times, i64 begin, i64 size, i64 before, i64 token, volatile i64* published) {
  GRID_STRIDE(i, count) {
    i64 low = begin, high = size;
    while (low < high) {
      i64 middle = (low + high) / 2;
      if (times[middle] < before) low = middle + 1;
      else high = middle;
    }
    published[0] = low;
    if (low < size) published[1] = times[low];
    __threadfence_system();
    published[2] = token;
  }
}

extern "C" __global__ void remember(
    i64 count, const VID* ids, const VID* src, const VID* dst, VID* src_of, VID* dst_of) {
  GRID_STRIDE(i, count) {
    VID id = ids[i];
    if (id < 0) continue;
    src_of[id] = src[i];
    dst_of[id] = dst[i];
  }
}

extern "C" __global__ void keep_expired(
    i64 count, const VID* ids, const VID* src_of, const VID* dst_of, const i64* times, i64 before, bool both, VID* src,
    VID* dst) {
  GRID_STRIDE(i, count) {
    VID id = ids[i], u = -1, v = -1;
    if (id >= 0 && src_of[id] >= 0 && times[id] < before) {
      u = src_of[id];
      v = dst_of[id];
    }
    if (both) {
      src[2 * i] = dst[2 * i + 1] = u;
      dst[2 * i] = src[2 * i + 1] = v;
    } else {
      src[i] = u;
      dst[i] = v;
    }
  }
}

// For times in some order, numbers that ascend as the times descend.
extern "C" __global__ void reverse_times(i64 count, const i64* times, const i64* order, i64* keys) {
  GRID_STRIDE(i, count) keys[i] = ~times[order[i]];
}

extern "C" __global__ void number_runs(i64 count, const i64* last, i64 runs, const i64* order, i64* places) {
  GRID_STRIDE(i, count) {
    i64 low = 0, high = runs;
    while (low < high) {
      i64 middle = (low + high) / 2;
      if (last[middle] < i) low = middle + 1; else high = middle;
    }
    places[order[i]] = low;
  }
}
