// CUDA kernels of the time of edges; cpu.py describes each. Macro: VID, the type of vertices' ids and of edges'.
#pragma once
#include "frontier/cuda/types.cuh"

extern "C" __global__ void prefer(i64 count, const i64* places, const i64* times, bool earliest, u64* table) {
  GRID_STRIDE(i, count) {
    i64 place = places[i];
    if (place < 0) continue;
    u64 held = table[place];
    while (true) {
      i64 mine = times[i], other = times[held];
      bool better = earliest ? mine < other || (mine == other && u64(i) < held)
                             : mine > other || (mine == other && u64(i) > held);
      if (!better) break;
      u64 found = atomicCAS(table + place, held, u64(i));
      if (found == held) break;
      held = found;  // another record of the edge came first: compare again
    }
  }
}

extern "C" __global__ void drop_outdated(
    i64 count, const i64* slots, i64 step, bool tagged, const i64* times, const i64* held, bool earliest, VID* ids) {
  GRID_STRIDE(i, count) {
    i64 slot = slots[i * step];
    if (ids[i] >= 0 && (tagged ? slot < -1 : slot >= 0)) {
      i64 old = held[ids[i]];
      if (earliest ? old <= times[i] : old > times[i]) ids[i] = -1;
    }
  }
}

extern "C" __global__ void time_bounds(i64 count, const i64* times, u64* counters) {
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
}

extern "C" __global__ void find_split(
    i64 count, const i64* times, i64 begin, i64 size, i64 before, i64* counters) {
  GRID_STRIDE(i, count) {
    i64 low = begin, high = size;
    while (low < high) {
      i64 middle = (low + high) / 2;
      if (times[middle] < before) low = middle + 1;
      else high = middle;
    }
    counters[0] = low;
    if (low < size) counters[1] = times[low];
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

extern "C" __global__ void forget(i64 count, const VID* ids, VID* src_of) {
  GRID_STRIDE(i, count) src_of[ids[i]] = -1;
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
