// Common neighbors by look-ups: what one vertex has as neighbors is looked up at another.
#pragma once
#include "frontier/cuda/expand.cuh"

constexpr int ACCESSES = 4;  // that a lane makes before it processes its match

// Looks the neighbors of `few` in its segments first, first + step, ... below `end` up at `many`: found(w, slot of few -> w,
// slot of many -> w), by the lane that has found one. Lanes of a tile call it together.
//
// Look-ups need different numbers of accesses, and few find anything. So a lane does not wait for other lanes'
// look-ups, but continues with its next neighbor. A lane with a match pauses until all have made ACCESSES: `found` has
// memory latency, too, which several lanes then share.
template <class Found>
__device__ __forceinline__ void look_up_neighbors(
    const View& view, const ExpandTile& tile, VID few, VID many, i64 first, i64 end, i64 step, Found& found) {
  auto table = table_of(view, many, 0);
  auto several = [&](const VID (&ws)[AT_A_TIME], i64 slot, i64) {
    u32 left = 0;  // bits of neighbors that were not looked up yet
#pragma unroll
    for (int k = 0; k < AT_A_TIME; ++k) left |= u32(ws[k] >= 0 && ws[k] != many) << k;
    VID w = 0;
    i64 place = -1, at = 0, other = -1;
    while (place >= 0 || left) {
#pragma unroll 1
      for (int a = 0; a < ACCESSES; ++a) {
        if (place < 0 && left && other < 0) {
#pragma unroll
          for (int k = AT_A_TIME - 1; k >= 0; --k)
            if (left >> k & 1) w = ws[k], at = slot + k * TILE_SIZE;
          left &= left - 1;
          place = table.place_of(w);
        }
        if (place >= 0) other = look(view, table, place, w);
      }
      if (other >= 0) found(w, at, other);
      other = -1;
    }
  };
  for (i64 s = first; s < end; s += step) walk_several(view, tile, few, s, several);
}

#if BALANCE == BY_TILE

constexpr int PART_SEGMENTS = 16;  // segments of a piece that a warp processes at a time
constexpr u32 PARTS = PIECE_SEGMENTS / PART_SEGMENTS;

// As share_out_queue(), but each warp draws its next work from the queue: look-ups are slow, and some of them far
// slower than others. `taken` is the number of drawn parts, zero at first.
template <class VertexOf, class Work>
__device__ void take_from_queue(const View& view, VertexOf vertex_of, PieceQueue queue, u32* taken, Work& work) {
  constexpr int TILES = 32 / TILE_SIZE;
  ExpandTile tile;
  const int lane = threadIdx.x & 31;
  u32 size = *queue.size < queue.capacity ? *queue.size : queue.capacity;
  for (;;) {
    u32 part = 0;
    if (lane == 0) part = atomicAdd(taken, 1u);
    part = __shfl_sync(0xffffffffu, part, 0);
    if (part >= size * PARTS) return;
    u64 piece = queue.pieces[part / PARTS];
    if (piece == ~0ull) continue;
    i64 item = i64(piece >> 32), first = i64(piece & 0xffffffffu) + part % PARTS * PART_SEGMENTS;
    VID v = vertex_of(item);
    i64 end = view.segments(v);
    if (first + PART_SEGMENTS < end) end = first + PART_SEGMENTS;
    first += lane / TILE_SIZE;
    if (first < end) work(tile, item, v, first, end, TILES, false);
    __syncwarp();
  }
}

#endif
