// CUDA kernels of the table of integer names. cpu.py describes the table, and each kernel that both devices have.
#pragma once
#include "frontier/cuda/scan_tiles.cuh"

constexpr i64 GONE = -2;
constexpr u64 FREE = ~0ull;  // an unused entry of a batch's table

__device__ inline i64 slot_of(i64 name, i64 mask) {
  u64 x = u64(name);
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return i64((x ^ x >> 31) & u64(mask));
}

// The id of a name, or -1 for an unknown one.
__device__ inline i64 id_of(i64 name, const i64* slot_names, const i64* slot_ids, i64 mask) {
  for (i64 at = slot_of(name, mask);; at = (at + 1) & mask) {
    i64 id = slot_ids[at];
    if (id == EMPTY || (id >= 0 && slot_names[at] == name)) return id;
  }
}

extern "C" __global__ void find(
    i64 count, const i64* names, const i64* slot_names, const i64* slot_ids, i64 mask, i64* ids) {
  GRID_STRIDE(i, count) ids[i] = id_of(names[i], slot_names, slot_ids, mask);
}

// Looks names up, and enters unknown ones into a table of the batch, which retains the first of equal ones. `places`
// become their entries in it, and -1 for known names. `entries` is a power of two.
extern "C" __global__ void claim(
    i64 count, const i64* names, const i64* slot_names, const i64* slot_ids, i64 mask, u64* claims, i64 entries, i64* ids,
    i64* places) {
  GRID_STRIDE(i, count) {
    i64 name = names[i], id = id_of(name, slot_names, slot_ids, mask), place = -1;
    if (id < 0) {
      place = slot_of(name, entries - 1);
      while (true) {
        u64 held = atomicCAS(claims + place, FREE, u64(i));
        if (held == FREE) break;
        if (names[held] == name) {  // whichever of the equal names is there by now
          atomicMin(claims + place, u64(i));
          break;
        }
        place = (place + 1) & (entries - 1);
      }
    }
    ids[i] = id;
    places[i] = place;
  }
}

// Whether name i is new, and the first of its equals.
__device__ inline bool is_first(i64 i, i64 count, const i64* places, const u64* claims) {
  return i < count && places[i] >= 0 && claims[places[i]] == u64(i);
}

extern "C" __global__ void __launch_bounds__(TILE) count_first(i64 count, const i64* places, const u64* claims, i64* sums) {
  TILES(tile, count) {
    int here = __syncthreads_count(is_first(tile * TILE + threadIdx.x, count, places, claims));
    if (threadIdx.x == 0) sums[tile] = here;
  }
}

// Gives each new name an id, in their order: the ids that were forgotten last, and then ids from `size` on. Counts the
// new names, and the ones among them whose slot was empty.
extern "C" __global__ void __launch_bounds__(TILE) enter(
    i64 count, const i64* names, const i64* places, const u64* claims, const i64* sums, bool summed, const i64* free,
    i64 free_count, i64 size, i64* slot_names, i64* slot_ids, i64 mask, i64* by_id, bool* named, u64* counters, i64* ids) {
  TILES(tile, count) {
    i64 before = sum_before(sums, summed, tile), here;
    i64 i = tile * TILE + threadIdx.x;
    bool first = is_first(i, count, places, claims), was_empty = false;
    i64 rank = before + block_exclusive(i64(first), here);
    if (first) {
      i64 name = names[i], id = rank < free_count ? free[free_count - 1 - rank] : size + rank - free_count;
      i64 at = slot_of(name, mask), held = slot_ids[at];
      while (true) {
        if (held >= 0) {
          at = (at + 1) & mask;
          held = slot_ids[at];
          continue;
        }
        i64 found = compare_and_swap(slot_ids + at, held, id);
        if (found == held) break;
        held = found;  // another thread was faster
      }
      was_empty = held == EMPTY;
      slot_names[at] = name;
      by_id[id] = name;
      named[id] = true;
      ids[i] = id;
    }
    int taken = __syncthreads_count(was_empty);
    if (threadIdx.x == 0 && here) {
      atomicAdd(counters, u64(here));
      atomicAdd(counters + 1, u64(taken));
    }
  }
}

// Gives the other names of a batch the ids of the first of their equals.
extern "C" __global__ void share(i64 count, const i64* places, const u64* claims, i64* ids) {
  GRID_STRIDE(i, count) {
    if (places[i] >= 0 && ids[i] < 0) ids[i] = ids[claims[places[i]]];
  }
}

extern "C" __global__ void forget(
    i64 count, const i64* ids, i64* slot_ids, i64 mask, const i64* by_id, bool* named) {
  GRID_STRIDE(i, count) {
    i64 id = ids[i], at = slot_of(by_id[id], mask);
    while (slot_ids[at] != id) at = (at + 1) & mask;
    slot_ids[at] = GONE;
    named[id] = false;
  }
}

extern "C" __global__ void fill(
    i64 count, const i64* by_id, const bool* named, i64* slot_names, i64* slot_ids, i64 mask) {
  GRID_STRIDE(i, count) {
    if (!named[i]) continue;
    i64 at = slot_of(by_id[i], mask);
    while (compare_and_swap(slot_ids + at, EMPTY, i) != EMPTY) at = (at + 1) & mask;
    slot_names[at] = by_id[i];
  }
}

// The ends of edges, one edge after the other.
extern "C" __global__ void pair(i64 count, const i64* src, const i64* dst, i64* both) {
  GRID_STRIDE(i, count) both[2 * i] = src[i], both[2 * i + 1] = dst[i];
}

// The reverse of `pair`.
extern "C" __global__ void part(i64 count, const i64* both, i64* src, i64* dst) {
  GRID_STRIDE(i, count) src[i] = both[2 * i], dst[i] = both[2 * i + 1];
}
