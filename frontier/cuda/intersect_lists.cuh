// Common neighbors in structures that look an arc up by looking through a list. The shorter list of a pair goes into a
// hash table in shared memory, piece by piece, in which the neighbors of the longer list are looked up. The work for a
// pair is the sum of both lengths, while look-ups in the graph would cost their product.
#pragma once
#include "frontier/cuda/expand.cuh"
#include "frontier/cuda/neighbor_sets.cuh"

constexpr int LONG_LIST = 64;  // segments of the longer list from which on blocks share a pair
constexpr int PIECE = 512;     // segments of it that a block processes

// The shared memory for some neighbors of a vertex, and their slots, of the SIZE threads of a warp or a block.
template <int SIZE, int TABLE>
struct Neighbors {
  typedef Team<SIZE> Threads;
  static constexpr int TILES = SIZE / TILE_SIZE;
  static constexpr int CAPACITY = TABLE, PART = TABLE / 2;  // PART neighbors are in the table at a time
  VID entries[TABLE];
  i64 slots[TABLE];
};

// The common neighbors w of `few` and `many` in segments begin..end-1 of the list of `many`: body(w, slot of few -> w,
// slot of many -> w), called by the lane that has found w.
template <class Neighbors, class Body>
__device__ void intersect_lists(const View& view, Neighbors& shared, VID few, VID many, i64 begin, i64 end, Body body) {
  typedef typename Neighbors::Threads Team;
  ExpandTile tile;
  const int tile_id = int(Team::thread()) / TILE_SIZE;
  const u32 lanes_before = (1u << tile.lane) - 1;
  const i64 most = Neighbors::PART, held_most = view.degree(few) < most ? view.degree(few) : most;
  const i64 quota = held_most < most ? most : most / Neighbors::TILES;  // neighbors in a part that one tile puts there
  bool more = true;
  for (i64 part = 0; more; ++part) {
    Team::sync();
    HashSet<Team> set(shared.entries, Neighbors::CAPACITY, held_most);
    Team::sync();
    i64 held = 0;  // the tile walks the same segments for every part
    auto put = [&](i64, VID, VID w, i64 slot, bool valid) {
      u32 found = tile.ballot(valid);
      i64 at = held + __popc(found & lanes_before) - part * quota;
      if (valid && at >= 0 && at < quota) shared.slots[set.put(w)] = slot;
      held += __popc(found);
    };
    for (i64 s = tile_id; s < view.segments(few); s += Neighbors::TILES) walk(view, tile, 0, few, s, put);
    more = Team::any(held > (part + 1) * quota);
    auto look_up = [&](i64, VID, VID w, i64 slot, bool valid) {
      if (valid) set.find(w, [&](u32 place) { body(w, shared.slots[place], slot); });
    };
    for (i64 s = begin + tile_id; s < end; s += Neighbors::TILES) walk(view, tile, 0, many, s, look_up);
  }
}

// A pair, with the end that has fewer neighbors first.
struct Ends {
  VID few, many;

  __device__ Ends(const View& view, VID u, VID v) : few(u), many(v) {
    if (view.degree(u) > view.degree(v)) few = v, many = u;
  }
};

// Handle pairs base..base+items-1, a warp each. Long ones go to the queue. found(i, u, v, w, slot of u -> w, slot of v
// -> w) is called by a lane that has found one, and through(tile, i, u, v) by all lanes of a tile together afterwards.
template <class Found, class Through>
__device__ void intersect_pairs(const View& view, i64 count, int items, const VID* us, const VID* vs, PieceQueue queue,
                                Found& found, Through& through) {
  __shared__ Neighbors<32, 256> shared[BLOCK / 32];
  ExpandTile tile;
  const int warp = threadIdx.x / 32;
  for (i64 base = i64(blockIdx.x) * items; base < count; base += i64(gridDim.x) * items) {
    for (i64 i = base + warp; i < base + items && i < count; i += BLOCK / 32) {
      if (us[i] < 0) continue;
      Ends ends(view, us[i], vs[i]);
      i64 segments = view.segments(ends.many);
      if (view.degree(ends.few) == 0) continue;
      if (segments > LONG_LIST) {
        u32 pieces = u32((segments + PIECE - 1) / PIECE), at = 0;
        if ((threadIdx.x & 31) == 0) at = atomicAdd(queue.size, pieces);
        at = __shfl_sync(0xffffffffu, at, 0);
        bool fits = at + pieces <= queue.capacity;
        for (u32 p = threadIdx.x & 31; p < pieces && at + p < queue.capacity; p += 32)
          queue.pieces[at + p] = fits ? u64(i) << 32 | u64(p) * PIECE : ~0ull;
        if (fits) continue;
      }
      intersect_lists(view, shared[warp], ends.few, ends.many, 0, segments, [&](VID w, i64 slot_few, i64 slot_many) {
        bool swapped = ends.few != us[i];
        found(i, us[i], vs[i], w, swapped ? slot_many : slot_few, swapped ? slot_few : slot_many);
      });
      through(tile, i, us[i], vs[i]);
    }
  }
}

// The pieces that intersect_pairs left, a block each.
template <class Found, class Through>
__device__ void intersect_queue(
    const View& view, const VID* us, const VID* vs, PieceQueue queue, Found& found, Through& through) {
  __shared__ Neighbors<BLOCK, 2048> shared;
  ExpandTile tile;
  u32 size = *queue.size < queue.capacity ? *queue.size : queue.capacity;
  for (u32 p = blockIdx.x; p < size; p += gridDim.x) {
    u64 piece = queue.pieces[p];
    if (piece == ~0ull) continue;
    i64 i = i64(piece >> 32), begin = i64(piece & 0xffffffffu);
    Ends ends(view, us[i], vs[i]);
    i64 end = view.segments(ends.many);
    if (begin + PIECE < end) end = begin + PIECE;
    intersect_lists(view, shared, ends.few, ends.many, begin, end, [&](VID w, i64 slot_few, i64 slot_many) {
      bool swapped = ends.few != us[i];
      found(i, us[i], vs[i], w, swapped ? slot_many : slot_few, swapped ? slot_few : slot_many);
    });
    through(tile, i, us[i], vs[i]);
    __syncthreads();
  }
}
