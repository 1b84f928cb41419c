// Load balancing: the one place where work over neighbors is spread over threads.
//
// Items (vertices of a frontier, pairs to intersect) have neighbor lists of very different lengths. A block takes ITEMS
// items, sums up their segments, and distributes the segments over its tiles. Items of more than HUGE_SEGMENTS are cut into
// pieces that go to a queue, from which a second launch (expand_queue) takes them with the whole grid.
//
// A body is called as body(item, v, neighbor, slot, valid) by all lanes of a tile together; lanes with !valid hold no
// neighbor and only take part in what the tile does as one.
#pragma once
#include "frontier/cuda/scan.cuh"
#include "frontier/cuda/tile.cuh"

#ifndef TILE_SIZE
#define TILE_SIZE 8
#endif

constexpr int BLOCK = 256;           // threads of every kernel that expands
constexpr int HUGE_SEGMENTS = 16;    // an item with more is shared by the grid; hubs are often neighbors in id order
constexpr int PIECE_SEGMENTS = 64;   // segments of a piece of such an item
typedef Tile<TILE_SIZE> ExpandTile;

struct PieceQueue {
  u64* pieces;  // item << 32 | first segment
  u32* size;
  u32 capacity;
};

// All neighbors in one segment.
template <class Body>
__device__ __forceinline__ void walk(const View& view, const ExpandTile& tile, i64 item, VID v, i64 segment, Body& body) {
  Run run = view.segment(v, segment);
  do {
    for (i64 base = run.low; base < run.high; base += 4 * TILE_SIZE) {
      VID neighbor[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {  // all loads first: they overlap
        i64 slot = base + k * TILE_SIZE + tile.lane;
        neighbor[k] = slot < run.high ? view.neighbors[slot] : VID(EMPTY);
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        i64 slot = base + k * TILE_SIZE;
        if (slot < run.high) body(item, v, neighbor[k], slot + tile.lane, neighbor[k] >= 0);
      }
    }
    run = view.next_run(run);
  } while (run.handle >= 0);
}

// Exclusive prefix sums of one number per thread, into sums[0 .. BLOCK]; ends with a barrier.
__device__ __forceinline__ void block_scan(u32 value, u32* sums) {
  __shared__ u32 of_warp[BLOCK / 32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  u32 inclusive = lanes_inclusive(value);
  if (lane == 31) of_warp[warp] = inclusive;
  __syncthreads();
  u32 before = 0;
  for (int w = 0; w < warp; ++w) before += of_warp[w];
  sums[threadIdx.x] = before + inclusive - value;
  if (threadIdx.x == BLOCK - 1) sums[BLOCK] = before + inclusive;
  __syncthreads();
}

// The last position i with sums[i] <= k.
__device__ __forceinline__ int owner_of(const u32* sums, u32 k) {
  int low = 0;
#pragma unroll
  for (int step = BLOCK / 2; step > 0; step /= 2)
    if (sums[low + step] <= k) low += step;
  return low;
}

// Number of v's segments that the block walks itself; a long list is cut into pieces for the queue instead. v goes to
// members[threadIdx.x]; a negative v has none.
__device__ __forceinline__ u32 share(const View& view, i64 item, VID v, PieceQueue queue, VID* members) {
  members[threadIdx.x] = v;
  if (v < 0) return 0;
  i64 segments = view.segments(v);
  if (segments <= HUGE_SEGMENTS) return u32(segments);
  u32 pieces = u32((segments + PIECE_SEGMENTS - 1) / PIECE_SEGMENTS);
  u32 at = atomicAdd(queue.size, pieces);
  if (at + pieces <= queue.capacity) {
    for (u32 p = 0; p < pieces; ++p) queue.pieces[at + p] = u64(item) << 32 | u64(p) * PIECE_SEGMENTS;
    return 0;
  }
  for (u32 p = at; p < queue.capacity && p < at + pieces; ++p) queue.pieces[p] = ~0ull;  // no room: walk it here
  return u32(segments);
}

// vertex_of(i): the vertex whose neighbors item i asks for, or a negative number to skip it.
// after_round(): called by all threads of the block, with a barrier before it and one after.
template <class VertexOf, class Body, class AfterRound>
__device__ void expand(const View& view, i64 count, int items, VertexOf vertex_of, PieceQueue queue, Body& body,
                       AfterRound after_round) {
  __shared__ u32 sums[BLOCK + 1];
  __shared__ VID vertices[BLOCK];
  ExpandTile tile;
  for (i64 base = i64(blockIdx.x) * items; base < count; base += i64(gridDim.x) * items) {
    i64 i = base + threadIdx.x;
    u32 mine = share(view, i, threadIdx.x < items && i < count ? vertex_of(i) : VID(-1), queue, vertices);
    block_scan(mine, sums);
    u32 total = sums[BLOCK];
    for (u32 k = threadIdx.x / TILE_SIZE; k < total; k += BLOCK / TILE_SIZE) {
      int owner = owner_of(sums, k);
      walk(view, tile, base + owner, vertices[owner], k - sums[owner], body);
    }
    __syncthreads();
    after_round();
    __syncthreads();
  }
}

// The pieces that expand() deferred. Launched after it; ends at once where there are none. Tiles do not wait for each
// other between pieces, so that after_round() is called once, at the end.
template <class VertexOf, class Body, class AfterRound>
__device__ void expand_queue(const View& view, VertexOf vertex_of, PieceQueue queue, Body& body, AfterRound after_round) {
  ExpandTile tile;
  u32 size = *queue.size < queue.capacity ? *queue.size : queue.capacity;
  for (u32 p = blockIdx.x; p < size; p += gridDim.x) {
    u64 piece = queue.pieces[p];
    if (piece == ~0ull) continue;
    i64 item = i64(piece >> 32), first = i64(piece & 0xffffffffu);
    VID v = vertex_of(item);
    i64 end = view.segments(v);
    if (first + PIECE_SEGMENTS < end) end = first + PIECE_SEGMENTS;
    for (i64 s = first + threadIdx.x / TILE_SIZE; s < end; s += BLOCK / TILE_SIZE) walk(view, tile, item, v, s, body);
  }
  __syncthreads();
  after_round();
}
