// CUDA kernels that order vertices by degree, and schedule the work of counting triangles, or of rows in that order. Macro:
// VID.
#pragma once
#include "frontier/cuda/scan_tiles.cuh"
#include "frontier/cuda/types.cuh"

// Keys that sort vertices by falling degree: the difference to the largest degree of a key, and below that the id.
extern "C" __global__ void make_keys(i64 count, const i64* degrees, i64 bits, i64* keys) {
  i64 most = (i64(1) << (63 - bits)) - 1;
  GRID_STRIDE(v, count) {
    i64 degree = degrees[v] < 0 ? 0 : degrees[v] > most ? most : degrees[v];
    keys[v] = (most - degree) << bits | v;
  }
}

// Vertices in their order, and the positions of all. members[0]: the number of vertices whose degree is at least
// `least`.
extern "C" __global__ void take_places(
    i64 count, const i64* keys, i64 bits, const i64* degrees, i64 least, VID* order, VID* rank, i64* members) {
  i64 mask = (i64(1) << bits) - 1;
  GRID_STRIDE(i, count) {
    VID v = VID(keys[i] & mask);
    order[i] = v;
    rank[v] = VID(i);
    if (degrees[v] >= least && (i + 1 == count || degrees[keys[i + 1] & mask] < least)) *members = i + 1;
  }
}

// The sums over positions, a row of `sums` for each: upper neighbors. Then, of vertices that can be in the middle of a
// triangle: the hubs, the pieces of their lists, the medium lists, and the small ones.
enum { ABOVE, HUBS, PIECES, MEDIUM, SMALL, ROWS };

struct Amounts {
  i64 of[ROWS];

  __device__ Amounts(i64 above, i64 length, i64 piece, i64 small) : of{} {
    of[ABOVE] = above;
    if (above <= 0 || above >= length) return;
    of[HUBS] = length > piece;
    of[PIECES] = length > piece ? (length + piece - 1) / piece : 0;
    of[MEDIUM] = length <= piece && length > small;
    of[SMALL] = length <= small;
  }
};

// `lengths`: of the neighbor lists of all vertices. A list that is longer than `piece` is cut, one that is not longer
// than `small` gets a warp.
extern "C" __global__ void __launch_bounds__(TILE) sum_amounts(
    i64 count, const VID* order, const i64* above, const i64* lengths, i64 piece, i64 small, i64* sums) {
  i64 tiles = (count + TILE - 1) / TILE;
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x;
    Amounts mine(i < count ? above[i] : 0, i < count ? lengths[order[i]] : 0, piece, small);
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      i64 total;
      block_exclusive(mine.of[row], total);
      if (threadIdx.x == 0) sums[row * tiles + tile] = total;
    }
  }
}

// `scheduled` has hubs first, then medium lists, then small ones. `first_piece`: of each hub, and at the end all.
// `found`: the number of vertices whose upper neighbors are copied, which are the first, with `most` in total. Then
// hubs, medium and small lists. Then steps in copied lists, in lists that are not copied, and in a copy of all
// (Orientation.steps).
extern "C" __global__ void __launch_bounds__(TILE) schedule(
    i64 count, const VID* order, const i64* above, const i64* lengths, i64 piece, i64 small, const i64* sums, bool summed,
    i64 most, VID* scheduled, i64* first_piece, u64* found) {
  i64 tiles = (count + TILE - 1) / TILE;
  TILES(tile, count) {
    i64 i = tile * TILE + threadIdx.x, length = i < count ? lengths[order[i]] : 0;
    Amounts mine(i < count ? above[i] : 0, length, piece, small);
    i64 before[ROWS], total[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      const i64* of_row = sums + row * tiles;
      i64 start = sum_before(of_row, summed, tile), in_tile;
      total[row] = summed ? of_row[tiles - 1] : start + sum_over(of_row, tile, tiles);
      before[row] = start + block_exclusive(mine.of[row], in_tile);
    }
    bool is_listed = i < count && before[ABOVE] + mine.of[ABOVE] <= most;
    u64 upper = u64(mine.of[ABOVE]), steps[3] = {is_listed ? upper * upper : 0, is_listed ? 0 : upper * u64(length),
                                                 upper * upper};
    u64 listed;
    block_exclusive(u64(is_listed), listed);
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      u64 all;
      block_exclusive(steps[k], all);
      if (threadIdx.x == 0 && all) atomicAdd(found + 4 + k, all);
    }
    if (threadIdx.x == 0 && listed) atomicAdd(found, listed);
    if (tile == 0 && threadIdx.x == 0) {
      found[1] = total[HUBS];
      found[2] = total[MEDIUM];
      found[3] = total[SMALL];
      first_piece[total[HUBS]] = total[PIECES];
    }
    if (mine.of[HUBS]) {
      scheduled[before[HUBS]] = order[i];
      first_piece[before[HUBS]] = before[PIECES];
    }
    if (mine.of[MEDIUM]) scheduled[total[HUBS] + before[MEDIUM]] = order[i];
    if (mine.of[SMALL]) scheduled[total[HUBS] + total[MEDIUM] + before[SMALL]] = order[i];
  }
}

// Counts the rows that are longer than each of `limits`.
extern "C" __global__ void count_longer(i64 count, const i64* limits, i64 rows, const i64* offsets, i64* longer) {
  GRID_STRIDE(i, count) {
    i64 low = 0, high = rows;
    while (low < high) {
      i64 middle = (low + high) >> 1;
      if (offsets[middle + 1] - offsets[middle] > limits[i]) low = middle + 1; else high = middle;
    }
    longer[i] = low;
  }
}

// Counts the pieces that each row is cut into.
extern "C" __global__ void count_pieces(i64 count, const i64* offsets, i64 piece, i64* pieces) {
  GRID_STRIDE(row, count) pieces[row] = (offsets[row + 1] - offsets[row] + piece - 1) / piece;
}
