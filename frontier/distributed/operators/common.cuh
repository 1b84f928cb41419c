// CUDA kernels that find out which lists of neighbors travel between partitions, for pairs whose ends two partitions
// own. Macros: VIEW_HEADER, VID.
//
// An *item* is a pair that this partition shares with another one. Items are in blocks, two for each other partition:
// first the pairs that the partition of lower rank lists, then the pairs that the partition of higher rank lists. So
// both partitions have the same items in the same order, and each computes the other one's decisions. `blocks` has the
// start of each block, and the number of items. For each block it also has the difference between an item and its
// position among the pairs that are sent, or were received.
#pragma once
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER

constexpr u32 NO_ITEM = 0xffffffffu;  // an unused entry of the table

// The block of an item: the last one that starts there or before.
__device__ __forceinline__ int block_of(const i64* blocks, int parts, i64 item) {
  int low = 0, high = 2 * parts;
  while (high - low > 1) {
    int middle = (low + high) >> 1;
    if (blocks[middle] <= item) low = middle; else high = middle;
  }
  return low;
}

// The ends of each item, this partition's end first, the degree of this end, and whether it is the pair's first: those
// pairs are listed here.
extern "C" __global__ void lay_out(
    i64 count, View view, const i64* blocks, int parts, int rank, const VID* sent_u, const VID* sent_v, const VID* come_u,
    const VID* come_v, VID* own, VID* other, VID* degrees, u8* swapped) {
  GRID_STRIDE(item, count) {
    int block = block_of(blocks, parts, item);
    i64 at = item + blocks[2 * parts + 1 + block];
    bool listed_here = (block & 1) == (rank > block >> 1);
    VID v = listed_here ? sent_u[at] : come_v[at];
    own[item] = v;
    other[item] = listed_here ? sent_v[at] : come_u[at];
    degrees[item] = VID(view.degree(v));
    swapped[item] = listed_here;
  }
}

// Chooses the list that travels: the shorter one, or among equal lengths the list of the pair's first end. `lists`
// becomes its vertex, or -1 if the list is empty.
extern "C" __global__ void choose(
    i64 count, const VID* own, const VID* other, const VID* degrees, const VID* theirs, const u8* swapped, VID* lists) {
  GRID_STRIDE(item, count) {
    VID mine = degrees[item], their = theirs[item];
    bool goes = swapped[item] ? mine <= their : mine < their;
    lists[item] = (goes ? mine : their) == 0 ? VID(-1) : goes ? own[item] : other[item];
  }
}

// Enters the list of each item, and the partition that it goes to or comes from, into a hash table that retains the
// first item of equal ones. `places` becomes the entry. `entries` is a power of two, and more than the items.
extern "C" __global__ void claim(
    i64 count, const i64* blocks, int parts, const VID* lists, u32* table, i64 entries, u32* places) {
  GRID_STRIDE(item, count) {
    VID v = lists[item];
    if (v < 0) continue;
    int part = block_of(blocks, parts, item) >> 1;
    u64 at = (u64(v) * 0x9E3779B97F4A7C15ull + u64(part)) * 0xC2B2AE3D27D4EB4Full >> 20 & u64(entries - 1);
    while (true) {
      u32 held = atomicCAS(table + at, NO_ITEM, u32(item));
      if (held == NO_ITEM) break;
      if (lists[held] == v && block_of(blocks, parts, i64(held)) >> 1 == part) {  // whichever of equal ones it is by now
        atomicMin(table + at, u32(item));
        break;
      }
      at = (at + 1) & u64(entries - 1);
    }
    places[item] = u32(at);
  }
}

// The neighbors that each item adds to the sent, the received, and the locally compared ones: each list is sent and
// received once.
struct Share {
  i64 goes, comes, compared;

  __device__ __forceinline__ Share(i64 item, VID own, VID list, VID degree, VID their, i64 first) {
    bool here = list >= 0 && list != own;
    compared = here ? i64(their) : 0;
    comes = first == item ? compared : 0;
    goes = !here && first == item ? i64(degree) : 0;
  }
};

// The first item with the same list (-1 if the list is empty), and the sums of the sent, received and compared
// neighbors over each TILE of items, all tiles of the first kind before all of the second.
extern "C" __global__ void __launch_bounds__(TILE) measure(
    i64 count, const VID* own, const VID* lists, const VID* degrees, const VID* theirs, const u32* table,
    const u32* places, i64* rows, i64* sums) {
  i64 tiles = (count + TILE - 1) / TILE;
  TILES(tile, count) {
    i64 item = tile * TILE + threadIdx.x, goes = 0, comes = 0, compared = 0;
    if (item < count) {
      VID list = lists[item];
      i64 first = list < 0 ? i64(-1) : i64(table[places[item]]);
      rows[item] = first;
      Share share(item, own[item], list, degrees[item], theirs[item], first);
      goes = share.goes, comes = share.comes, compared = share.compared;
    }
    i64 total;
    block_exclusive(goes, total);
    if (threadIdx.x == 0) sums[tile] = total;
    block_exclusive(comes, total);
    if (threadIdx.x == 0) sums[tiles + tile] = total;
    block_exclusive(compared, total);
    if (threadIdx.x == 0) sums[2 * tiles + tile] = total;
  }
}

// The position of each list at its first item: among the sent, or the received ones. `going` becomes the vertices whose
// lists are sent, and -1 elsewhere. `rows` becomes -1 for items that are not compared here, `ends` the sums of compared
// neighbors up to each item. `bounds`: for each partition the neighbors sent to the partitions before it, and in total,
// and then the received ones. Partitions without items get none.
extern "C" __global__ void __launch_bounds__(TILE) place(
    i64 count, const i64* blocks, int parts, const VID* own, const VID* lists, const VID* degrees, const VID* theirs,
    const i64* sums, bool summed, i64* rows, i64* offsets, i64* ends, VID* going, i64* bounds) {
  i64 tiles = (count + TILE - 1) / TILE;
  i64 all_go = sum_before(sums, summed, tiles), all_come = sum_before(sums, summed, 2 * tiles);
  TILES(tile, count) {
    i64 goes_before = sum_before(sums, summed, tile), comes_before = sum_before(sums, summed, tiles + tile) - all_go;
    i64 compared_before = sum_before(sums, summed, 2 * tiles + tile) - all_come;
    i64 item = tile * TILE + threadIdx.x, goes = 0, comes = 0, compared = 0, first = -1;
    VID v = -1, list = -1;
    if (item < count) {
      v = own[item], list = lists[item], first = rows[item];
      Share share(item, v, list, degrees[item], theirs[item], first);
      goes = share.goes, comes = share.comes, compared = share.compared;
    }
    i64 total, goes_at = goes_before + block_exclusive(goes, total), comes_at = comes_before + block_exclusive(comes, total);
    i64 compared_at = compared_before + block_exclusive(compared, total);
    if (item >= count) continue;
    offsets[item] = goes ? goes_at : comes_at;
    ends[item] = compared_at + compared;
    going[item] = goes ? v : VID(-1);
    if (list < 0 || list == v) rows[item] = -1;
    int part = block_of(blocks, parts, item) >> 1;
    if (item == blocks[2 * part]) {
      bounds[part] = goes_at;
      bounds[parts + 1 + part] = comes_at;
    }
    if (item == count - 1) {
      bounds[parts] = goes_at + goes;
      bounds[2 * parts + 1] = comes_at + comes;
    }
  }
}
