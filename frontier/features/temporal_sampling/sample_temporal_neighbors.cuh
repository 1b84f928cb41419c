// CUDA kernels of sample_temporal_neighbors. See cpu.py for each. Macro: VID.
#pragma once
#include "frontier/cuda/philox.cuh"
#include "frontier/cuda/types.cuh"

#define LINKED_FROM 64           // as in cpu.py
#define MAX_BUCKETS (1ll << 30)
#define LEAST_WAIT 5.551115123125783e-17  // 2 ** -54
#define LEAST_KEY (-37.5)
#define ROUNDING 4e-16

// for (i = this tile of threads; i < count; i += all tiles)
#define FOR_EACH_TILE(i, count, lanes)                                                            \
  for (i64 i = (i64(blockIdx.x) * blockDim.x + threadIdx.x) / (lanes); i < (count);               \
       i += i64(gridDim.x) * blockDim.x / (lanes))

extern "C" __global__ void locate(
    i64 count, const i64* offsets, const i64* times, const i64* rows, const i64* limits, bool closed,
    bool inclusive, i64 most, i64* firsts, i64* sizes, i64* found) {
  GRID_STRIDE(i, count) {
    i64 low = offsets[rows[i]], high = offsets[rows[i] + 1];
    if (!closed) {
      i64 limit = limits[i], last = high;
      while (low < last) {
        i64 middle = (low + last) / 2;
        if (times[middle] < limit || (inclusive && times[middle] == limit)) last = middle; else low = middle + 1;
      }
    }
    firsts[i] = low;
    sizes[i] = high - low;
    found[i + 1] = high - low < most ? high - low : most;
  }
}

// Launched with tile=8.
extern "C" __global__ void take_latest(
    i64 count, const i64* row_times, const VID* row_ids, const VID* row_edges, const i64* firsts, const i64*,
    const i64* starts, VID* ids, i64* times, i64* edges) {
  FOR_EACH_TILE(i, count, 8) {
    i64 end = starts[i + 1], shift = firsts[i] - starts[i];
    for (i64 at = starts[i] + threadIdx.x % 8; at < end; at += 8) {
      times[at] = row_times[at + shift];
      ids[at] = row_ids[at + shift];
      edges[at] = row_edges[at + shift];
    }
  }
}

__device__ __forceinline__ i64 bucket_of(i64 place, i64 count) {
  u32 mixed = u32(place) * 0x9E3779B1u;
  return i64(mixed * u64(count < MAX_BUCKETS ? count : MAX_BUCKETS) >> 32);
}

// A warp a vertex. All steps draw at once: the entry of a step depends on the drawn numbers, and not on other steps'
// entries. So the steps in a bucket are in any order here, and the last one before a step is searched among all.
// Launched with tile=32.
extern "C" __global__ void draw_uniformly(
    i64 vertices, const i64* row_times, const VID* row_ids, const VID* row_edges, const i64* firsts, const i64* sizes,
    const i64* starts, i64 seed, i64* heads, i64* links, VID* ids, i64* times, i64* edges) {
  int lane = threadIdx.x % 32;
  FOR_EACH_TILE(i, vertices, 32) {
    i64 first = firsts[i], size = sizes[i], base = starts[i], count = starts[i + 1] - base;
    bool all = size == count, linked = !all && count >= LINKED_FROM;
    i64* drawn = edges + base;
    if (linked) {
      for (i64 t = lane; t < count; t += 32) heads[base + t] = -1;
      __syncwarp();
    }
    for (i64 t = lane; t < count && !all; t += 32) {
      drawn[t] = t + i64(__umul64hi(random_pair_at(seed, i, t / 2, t % 2), u64(size - t)));
      if (linked) links[base + t] = i64(atomicExch((u64*)heads + base + bucket_of(drawn[t], count), u64(t)));
    }
    __syncwarp();
    for (i64 t = lane; t < count; t += 32) {
      i64 place = all ? t : drawn[t];
      if (linked) {
        i64 before = t, last;
        do {
          last = -1;
          for (i64 step = heads[base + bucket_of(place, count)]; step >= 0; step = links[base + step]) {
            if (step < before && step > last && drawn[step] == place) last = step;
          }
          if (last >= 0) place = before = last;
        } while (last >= 0);
      } else if (!all) {
        for (i64 step = t - 1; step >= 0; --step) place = drawn[step] == place ? step : place;
      }
      times[base + t] = first + place;
    }
    __syncwarp();
    for (i64 at = base + lane; at < base + count; at += 32) {
      i64 place = times[at];
      times[at] = row_times[place];
      ids[at] = row_ids[place];
      edges[at] = row_edges[place];
    }
  }
}

// The present sample: a heap in the memory of the result.
struct Heap {
  double* keys;
  VID* ids;
  i64* places;

  __device__ bool is_before(i64 a, i64 b) const {
    return keys[a] < keys[b] || (keys[a] == keys[b] && ids[a] < ids[b]);
  }

  __device__ void set(i64 at, double key, VID v, i64 place) {
    keys[at] = key;
    ids[at] = v;
    places[at] = place;
  }

  __device__ void swap(i64 a, i64 b) {
    double key = keys[a];
    VID v = ids[a];
    i64 place = places[a];
    set(a, keys[b], ids[b], places[b]);
    set(b, key, v, place);
  }

  __device__ void sift_up(i64 at) {
    for (; at > 0 && is_before((at - 1) / 2, at); at = (at - 1) / 2) swap((at - 1) / 2, at);
  }

  __device__ void sift_down(i64 size) {
    for (i64 at = 0, child; (child = 2 * at + 1) < size; at = child) {
      if (child + 1 < size && is_before(child, child + 1)) ++child;
      if (!is_before(at, child)) break;
      swap(at, child);
    }
  }
};

// A warp a vertex: its lanes compute keys, and the first lane puts low enough ones through the heap. Launched with
// tile=32.
extern "C" __global__ void draw_fading(
    i64 vertices, const i64* row_times, const VID* row_ids, const VID* row_edges, const i64* firsts, const i64* sizes,
    const i64* starts, const VID* row_numbers, i64 seed, double rate, double* keys, VID* ids, i64* times, i64* edges) {
  int lane = threadIdx.x % 32;
  FOR_EACH_TILE(i, vertices, 32) {
    i64 first = firsts[i], base = starts[i], count = starts[i + 1] - base, held = 0, end = first + sizes[i];
    if (count == 0) continue;
    Heap heap{keys + base, ids + base, edges + base};
    i64 newest = row_times[first];
    double worst = 0;  // the highest key, once the sample has `count` entries
    for (i64 from = first; from < end; from += 32) {
      double least = 1;  // upper bound of useful drawn numbers
      if (held == count) {
        double fade = rate * double(u64(newest) - u64(row_times[from]));
        if (LEAST_KEY + fade > worst) break;
        least = exp(fmin(worst - fade + fabs(worst) * ROUNDING + 1e-9, 0.0));
      }
      i64 place = from + lane;
      double key = 0;
      VID v = 0;
      bool wanted = place < end;
      if (wanted) {
        v = row_ids[place];
        double drawn = random_at(seed, i, row_numbers[place]);
        wanted = !(drawn >= least);  // also if that is no number
        if (wanted) {
          double wait = -log(1 - drawn);
          key = log(wait > LEAST_WAIT ? wait : LEAST_WAIT) + rate * double(u64(newest) - u64(row_times[place]));
          wanted = held < count || key <= worst;
        }
      }
      u32 members = __ballot_sync(0xffffffffu, wanted);
      for (; members; members &= members - 1) {
        int member = __ffs(members) - 1;
        double candidate = __shfl_sync(0xffffffffu, key, member);
        VID neighbor = __shfl_sync(0xffffffffu, v, member);
        if (lane == 0) {
          if (held < count) {
            heap.set(held, candidate, neighbor, from + member);
            heap.sift_up(held);
          } else if (candidate < keys[base] || (candidate == keys[base] && neighbor < ids[base])) {
            heap.set(0, candidate, neighbor, from + member);
            heap.sift_down(count);
          }
        }
        if (held < count) ++held;
      }
      worst = __shfl_sync(0xffffffffu, lane == 0 ? keys[base] : 0, 0);
    }
    if (lane == 0) {
      for (i64 size = count - 1; size > 0; --size) {
        heap.swap(0, size);
        heap.sift_down(size);
      }
    }
    __syncwarp();
    for (i64 at = base + lane; at < base + count; at += 32) {
      i64 place = edges[at];
      times[at] = row_times[place];
      edges[at] = row_edges[place];
    }
  }
}
