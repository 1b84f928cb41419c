// Lists of vertices sorted by the partition that owns them. Three kernels: owners are found and counted by span, counts
// become positions, and entries are moved to them. The order is stable. Arrays with an entry for each partition and
// span have all spans of the first partition first. Names end in the type of ids.
#pragma once
#include "frontier/cuda/scan.cuh"

#define SPAN 4096  // entries that a thread block sorts (owners_on_gpu.py has the same number)
#define SPAN_THREADS 512
#define WARPS (SPAN_THREADS / 32)
#define ROWS (SPAN / SPAN_THREADS)  // entries of a thread
#define MAX_PARTS 254
#define NO_PART 255

// for (span = this thread block; span < spans of count; span += all thread blocks)
#define SPANS(span, count) for (i64 span = blockIdx.x; span * SPAN < (count); span += gridDim.x)

// The partition of a vertex: the finalizer of SplitMix64, as in owners.py. Runs of 2^together vertices have one.
__device__ __forceinline__ int owner_of(u64 id, int together, u32 parts) {
  u64 h = (id >> together) + 0x9E3779B97F4A7C15ull;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  h ^= h >> 31;
  return int(parts & (parts - 1) ? h % parts : h & (parts - 1));
}

// Finds the owners of vertices, and counts them by span. Negative ids have none. With `mates`, neither have pairs of
// which one is no id below `limit`, and `wrong` counts such pairs whose first is not negative.
template <class ID>
__device__ void find_owners(
    i64 count, const ID* ids, const ID* mates, i64 limit, u64* wrong, int together, int parts,
    i64 spans, u8* owners, i64* counts) {
  __shared__ int found[MAX_PARTS];
  SPANS(span, count) {
    for (int p = threadIdx.x; p < parts; p += SPAN_THREADS) found[p] = 0;
    __syncthreads();
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      i64 i = span * SPAN + row * SPAN_THREADS + threadIdx.x;
      int owner = NO_PART;
      if (i < count) {
        ID id = ids[i];
        bool good = id >= 0;
        if (good && mates && (i64(id) >= limit || mates[i] < 0 || i64(mates[i]) >= limit)) {
          good = false;
          atomicAdd(wrong, 1ull);
        }
        if (good) owner = owner_of(u64(id), together, u32(parts));
        owners[i] = u8(owner);
      }
      u32 alike = __match_any_sync(0xffffffffu, owner);
      if (owner != NO_PART && (threadIdx.x & 31) == __ffs(alike) - 1) atomicAdd(found + owner, __popc(alike));
    }
    __syncthreads();
    for (int p = threadIdx.x; p < parts; p += SPAN_THREADS) counts[p * spans + span] = found[p];
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(SPAN_THREADS) find_owners_int(
    i64 count, const int* ids, const int* mates, i64 limit, u64* wrong, int together, int parts,
    i64 spans, u8* owners, i64* counts) {
  find_owners(count, ids, mates, limit, wrong, together, parts, spans, owners, counts);
}

extern "C" __global__ void __launch_bounds__(SPAN_THREADS) find_owners_i64(
    i64 count, const i64* ids, const i64* mates, i64 limit, u64* wrong, int together, int parts,
    i64 spans, u8* owners, i64* counts) {
  find_owners(count, ids, mates, limit, wrong, together, parts, spans, owners, counts);
}

// Replaces the counts by the positions of the first entries. It also writes the numbers for other partitions: the
// number of entries for each partition, whether errors occurred, and a number of the host's. One thread block, whose
// threads process consecutive counts each.
__device__ void find_places(
    i64 parts, i64 spans, i64* counts, const u64* errors, i64 num_errors, i64 number, i64* row) {
  i64 size = parts * spans, each = (size + blockDim.x - 1) / blockDim.x;
  i64 low = threadIdx.x * each, high = low + each < size ? low + each : size;
  i64 part = 0, total;
  for (i64 t = low; t < high; ++t) part += counts[t];
  i64 running = block_exclusive(part, total);
  for (i64 t = low; t < high; ++t) {
    i64 here = counts[t];
    counts[t] = running;
    running += here;
  }
  __syncthreads();
  for (i64 p = threadIdx.x; p < parts; p += blockDim.x) {
    i64 end = p + 1 < parts && spans ? counts[(p + 1) * spans] : total;
    row[p] = spans ? end - counts[p * spans] : 0;
  }
  if (threadIdx.x == 0) {
    u64 wrong = 0;
    for (i64 i = 0; i < num_errors; ++i) wrong |= errors[i];
    row[parts] = wrong != 0;
    row[parts + 1] = number;
  }
}

extern "C" __global__ void __launch_bounds__(1024) place_spans(
    i64 parts, i64 spans, i64* counts, const u64* errors, i64 num_errors, i64 number, i64* row) {
  find_places(parts, spans, counts, errors, num_errors, number, row);
}

// Finds the owners of a thread's entries of a span, and for each the number of earlier entries of the span with the
// same partition. A warp has ROWS rows of 32 entries that follow each other, the first one's from `begin` on. Thread p
// gets the number of all entries of partition p. `before` is memory: entries of each partition, by warp.
template <int MOST>
__device__ int rank_in_span(
    int (&before)[WARPS][MOST], i64 begin, i64 count, const u8* owners, int parts, int (&owner)[ROWS], int (&rank)[ROWS]) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, total = 0;
  for (int p = lane; p < parts; p += 32) before[warp][p] = 0;
  __syncwarp();
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    i64 i = begin + row * 32 + lane;
    owner[row] = i < count ? int(owners[i]) : NO_PART;
    u32 alike = __match_any_sync(0xffffffffu, owner[row]);
    rank[row] = __popc(alike & ((1u << lane) - 1));
    if (owner[row] != NO_PART) rank[row] += before[warp][owner[row]];
    __syncwarp();
    if (owner[row] != NO_PART && lane == __ffs(alike) - 1) before[warp][owner[row]] += __popc(alike);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < parts) {
    for (int w = 0; w < WARPS; ++w) {
      int here = before[w][threadIdx.x];
      before[w][threadIdx.x] = total;
      total += here;
    }
  }
  __syncthreads();
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
    if (owner[row] != NO_PART) rank[row] += before[warp][owner[row]];
  }
  return total;
}

__device__ __forceinline__ i64 begin_of_warp(i64 span) { return span * SPAN + (threadIdx.x >> 5) * (SPAN / WARPS); }

// Moves entries: put(owner, at, i) is called for each entry with an owner, at its position `at`.
template <class Put>
__device__ void move_entries(i64 count, const u8* owners, int parts, i64 spans, const i64* places, Put put) {
  __shared__ int before[WARPS][MAX_PARTS];
  __shared__ i64 place[MAX_PARTS];
  SPANS(span, count) {
    i64 begin = begin_of_warp(span);
    int owner[ROWS], rank[ROWS];
    if (threadIdx.x < parts) place[threadIdx.x] = places[threadIdx.x * spans + span];
    rank_in_span(before, begin, count, owners, parts, owner, rank);
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      if (owner[row] != NO_PART) put(owner[row], place[owner[row]] + rank[row], begin + row * 32 + (threadIdx.x & 31));
    }
    __syncthreads();
  }
}

// Moves entries to their positions: entries of one array or two, and their old positions if `order` is given.
template <class ID>
__device__ void move_to_owners(
    i64 count, const u8* owners, int parts, i64 spans, const i64* places, const ID* first, const ID* second, ID* out_first,
    ID* out_second, i64* order) {
  move_entries(count, owners, parts, spans, places, [&](int, i64 at, i64 i) {
    out_first[at] = first[i];
    if (second) out_second[at] = second[i];
    if (order) order[at] = i;
  });
}

extern "C" __global__ void __launch_bounds__(SPAN_THREADS) move_to_owners_int(
    i64 count, const u8* owners, int parts, i64 spans, const i64* places, const int* first, const int* second,
    int* out_first, int* out_second, i64* order) {
  move_to_owners(count, owners, parts, spans, places, first, second, out_first, out_second, order);
}

extern "C" __global__ void __launch_bounds__(SPAN_THREADS) move_to_owners_i64(
    i64 count, const u8* owners, int parts, i64 spans, const i64* places, const i64* first, const i64* second,
    i64* out_first, i64* out_second, i64* order) {
  move_to_owners(count, owners, parts, spans, places, first, second, out_first, out_second, order);
}
