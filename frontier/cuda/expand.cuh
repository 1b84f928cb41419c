// Load balancing: the single module that distributes work over neighbors among threads.
//
// Items (vertices of a frontier, pairs to intersect) have neighbor lists of very different lengths. Their segments are
// distributed by one of four schedules (macro BALANCE), with `items` items to a block at a time except in the last:
//
//   BY_TILE    a block sums up the segments of its items, and distributes them over its tiles. Items of more than
//              HUGE_SEGMENTS are cut into pieces that go to a queue, from which a second launch takes them with the whole
//              grid. The default.
//   BY_THREAD  a thread for each item. TILE_SIZE is 1.
//   BY_BLOCK   a block for each item, whose tiles share the segments.
//   BY_MERGE   equal shares of items and segments together for each block, found by a search on diagonals of the merge
//              path (Merrill and Garland, SC 2016) over the running sums of segments, which a launch before has made.
//
// work(tile, item, v, first, end, step, whole) processes a share, and all lanes of a tile call it together: the
// segments first, first + step, ... below `end` of v. `whole` if these are all of v. expand() does the same for each
// neighbor: body(item, v, neighbor, slot, valid). Lanes with !valid have no neighbor and only join the collective
// operations of the tile.
#pragma once
#include "frontier/cuda/scan.cuh"
#include "frontier/cuda/tile.cuh"

#define BY_TILE 0
#define BY_THREAD 1
#define BY_BLOCK 2
#define BY_MERGE 3

#ifndef BALANCE
#define BALANCE BY_TILE
#endif
#ifndef TILE_SIZE
#define TILE_SIZE 8
#endif

constexpr int BLOCK = 256;           // threads of every kernel that expands
constexpr int HUGE_SEGMENTS = 16;    // an item with more is shared by the grid. Hubs are often neighbors in id order
constexpr int PIECE_SEGMENTS = 64;   // segments of a piece of such an item
constexpr int BLOCK_TILES = BLOCK / TILE_SIZE;  // of a block
typedef Tile<TILE_SIZE> ExpandTile;

// The data of a schedule in addition to the items: the last parameters of kernels before the parameters of the user's
// functors.
#if BALANCE == BY_MERGE
struct Plan {
  const i64* ends;  // of each item: the segments of all items up to it
};
#define PLAN_PARAMS const i64* ends
#define PLAN Plan{ends}
#else
struct PieceQueue {
  u64* pieces;  // item << 32 | first segment. Null, as is the size, if the capacity is 0
  u32* size;
  u32 capacity;
};
typedef PieceQueue Plan;
#define PLAN_PARAMS u64* pieces, u32* num_pieces, u32 max_pieces
#define PLAN PieceQueue{pieces, num_pieces, max_pieces}
#endif

constexpr int AT_A_TIME = 4;  // neighbors that a lane loads before the first is looked at: the loads overlap

// Visits all neighbors in one segment, lanes of a tile together. Calls several(neighbors, slot, high) for AT_A_TIME of
// a lane, in the slots `slot`, slot + TILE_SIZE, ..., of which slots from `high` on are empty.
template <class Several>
__device__ __forceinline__ void walk_several(
    const View& view, const ExpandTile& tile, VID v, i64 segment, Several& several) {
  Run run = view.segment(v, segment);
  do {
    for (i64 base = run.low; base < run.high; base += AT_A_TIME * TILE_SIZE) {
      VID neighbors[AT_A_TIME];
#pragma unroll
      for (int k = 0; k < AT_A_TIME; ++k) {
        i64 slot = base + k * TILE_SIZE + tile.lane;
        neighbors[k] = slot < run.high ? view.neighbors[slot] : VID(EMPTY);
      }
      several(neighbors, base + tile.lane, run.high);
    }
    run = view.next_run(run);
  } while (run.handle >= 0);
}

// One by one: `body`.
template <class Body>
__device__ __forceinline__ void walk(const View& view, const ExpandTile& tile, i64 item, VID v, i64 segment, Body& body) {
  auto several = [&](const VID (&neighbors)[AT_A_TIME], i64 slot, i64 high) {
#pragma unroll
    for (int k = 0; k < AT_A_TIME; ++k)
      if (slot - tile.lane + k * TILE_SIZE < high) body(item, v, neighbors[k], slot + k * TILE_SIZE, neighbors[k] >= 0);
  };
  walk_several(view, tile, v, segment, several);
}

#if BALANCE == BY_TILE

// Exclusive prefix sums of one number per thread, into sums[0 .. BLOCK]. Ends with a barrier.
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

// Number of v's segments that the block walks itself. A long list is cut into pieces for the queue instead. v goes to
// members[threadIdx.x], and a negative v has none.
template <class Lists>
__device__ __forceinline__ u32 share(const Lists& lists, i64 item, VID v, PieceQueue queue, VID* members) {
  members[threadIdx.x] = v;
  if (v < 0) return 0;
  i64 segments = lists.segments(v);
  if (segments <= HUGE_SEGMENTS || queue.capacity == 0) return u32(segments);  // without capacity the size is null, too
  u32 pieces = u32((segments + PIECE_SEGMENTS - 1) / PIECE_SEGMENTS);
  u32 at = atomicAdd(queue.size, pieces);
  if (at + pieces <= queue.capacity) {
    for (u32 p = 0; p < pieces; ++p) queue.pieces[at + p] = u64(item) << 32 | u64(p) * PIECE_SEGMENTS;
    return 0;
  }
  for (u32 p = at; p < queue.capacity && p < at + pieces; ++p) queue.pieces[p] = ~0ull;  // full: walk it here
  return u32(segments);
}

#elif BALANCE == BY_MERGE

constexpr int WINDOW = 1024;  // steps on the merge path that a block processes at a time: items and segments

// The number of items that end before a step of the path, which goes through the segments of each item and then past
// its end. All lanes of a warp call it.
__device__ __forceinline__ i64 items_before(const i64* ends, i64 count, i64 step_number) {
  i64 low = 0, high = count;
  int lane = threadIdx.x & 31;
  while (low < high) {
    i64 step = (high - low + 31) / 32, at = low + lane * step;
    int before = __popc(__ballot_sync(0xffffffffu, at < high && ends[at] + at < step_number));
    if (low + before * step < high) high = low + before * step;
    if (before) low += (before - 1) * step + 1;
  }
  return low;
}

// The segments of each item, of which the running sums are made.
template <class VertexOf>
__device__ void measure_items(const View& view, i64 count, VertexOf vertex_of, i64* ends) {
  GRID_STRIDE(i, count) {
    VID v = vertex_of(i);
    ends[i] = v < 0 ? 0 : view.segments(v);
  }
}

#endif

// lists: usually a view, whose segments(v) are distributed.
// vertex_of(i): the vertex whose neighbors item i asks for, or a negative number to skip it. Called once for each item,
// by BY_MERGE more often.
// after_round(): called by all threads of the block, with a barrier before it and one after.
template <class Lists, class VertexOf, class Work, class AfterRound>
__device__ void share_out(const Lists& lists, i64 count, int items, VertexOf vertex_of, Plan plan, Work& work,
                          AfterRound after_round) {
  ExpandTile tile;
#if BALANCE == BY_MERGE
  __shared__ i64 corners[2];
  __shared__ int starts[WINDOW + 1];  // the starts of items, counted from the window's first segment
  __shared__ VID vertices[WINDOW + 1];
  i64 length = count + plan.ends[count - 1];
  for (i64 from = i64(blockIdx.x) * WINDOW; from < length; from += i64(gridDim.x) * WINDOW) {
    i64 to = from + WINDOW < length ? from + WINDOW : length;
    int warp = threadIdx.x >> 5;
    if (warp < 2) {
      i64 found = items_before(plan.ends, count, warp ? to : from);
      if ((threadIdx.x & 31) == 0) corners[warp] = found;
    }
    __syncthreads();
    i64 base = corners[0], first = from - base;
    int segments = int(to - corners[1] - first), members = int(corners[1] - base) + (corners[1] < count);
    for (int j = threadIdx.x; j < members; j += BLOCK) {
      i64 i = base + j;
      starts[j] = int((i ? plan.ends[i - 1] : 0) - first);
      vertices[j] = vertex_of(i);
    }
    __syncthreads();
    int each = (segments + BLOCK_TILES - 1) / BLOCK_TILES, k = threadIdx.x / TILE_SIZE * each;
    int stop = k + each < segments ? k + each : segments, owner = 0;
    if (k < stop) {  // the last item that starts at k or before
      int high = members;
      while (owner + 1 < high) {
        int middle = (owner + high) >> 1;
        if (starts[middle] <= k) owner = middle; else high = middle;
      }
    }
    while (k < stop) {
      bool ends_here = owner + 1 < members && starts[owner + 1] <= stop;
      int end = ends_here ? starts[owner + 1] : stop;
      if (k < end) {
        int before = starts[owner];
        work(tile, base + owner, vertices[owner], i64(k) - before, i64(end) - before, 1, ends_here && k == before);
      }
      k = end;
      ++owner;
    }
    __syncthreads();
    after_round();
    __syncthreads();
  }
#else
#if BALANCE == BY_TILE
  __shared__ u32 sums[BLOCK + 1];
#endif
#if BALANCE != BY_THREAD
  __shared__ VID vertices[BLOCK];
#endif
  for (i64 base = i64(blockIdx.x) * items; base < count; base += i64(gridDim.x) * items) {
    i64 i = base + threadIdx.x;
    VID mine = int(threadIdx.x) < items && i < count ? vertex_of(i) : VID(-1);
#if BALANCE == BY_TILE
    block_scan(share(lists, i, mine, plan, vertices), sums);
    u32 total = sums[BLOCK];
    for (u32 k = threadIdx.x / TILE_SIZE; k < total; k += BLOCK_TILES) {
      int owner = owner_of(sums, k);
      i64 segment = k - sums[owner];
      work(tile, base + owner, vertices[owner], segment, segment + 1, 1, sums[owner + 1] - sums[owner] == 1);
    }
#elif BALANCE == BY_BLOCK
    vertices[threadIdx.x] = mine;
    __syncthreads();
    for (int j = 0; j < items; ++j) {
      VID v = vertices[j];
      i64 segments = v < 0 ? 0 : lists.segments(v), first = threadIdx.x / TILE_SIZE;
      if (first < segments) work(tile, base + j, v, first, segments, BLOCK_TILES, segments == 1);
    }
#else
    i64 segments = mine < 0 ? 0 : lists.segments(mine);
    if (segments) work(tile, i, mine, 0, segments, 1, true);
#endif
    __syncthreads();
    after_round();
    __syncthreads();
  }
#endif
}

// For each neighbor of each item: `body`.
template <class VertexOf, class Body, class AfterRound>
__device__ void expand(const View& view, i64 count, int items, VertexOf vertex_of, Plan plan, Body& body,
                       AfterRound after_round) {
  auto work = [&](const ExpandTile& tile, i64 item, VID v, i64 first, i64 end, i64 step, bool) {
    for (i64 s = first; s < end; s += step) walk(view, tile, item, v, s, body);
  };
  share_out(view, count, items, vertex_of, plan, work, after_round);
}

#if BALANCE == BY_TILE

// The argument of share_out_queue() where nothing has to be done between pieces.
struct Never {};

// Whether work is due in the view of any thread of the block. All of them call it.
template <class IsDue>
__device__ __forceinline__ bool is_due_in_block(IsDue is_due) { return __syncthreads_or(is_due()); }
__device__ __forceinline__ bool is_due_in_block(Never) { return false; }

// The pieces that share_out() deferred. Launched after it. Ends at once without pieces. after_round() is called at the
// end, and between two pieces once a thread finds that is_due(). Otherwise tiles do not wait for each other.
template <class Lists, class VertexOf, class Work, class AfterRound, class IsDue = Never>
__device__ void share_out_queue(const Lists& lists, VertexOf vertex_of, PieceQueue queue, Work& work,
                                AfterRound after_round, IsDue is_due = IsDue()) {
  ExpandTile tile;
  u32 size = *queue.size < queue.capacity ? *queue.size : queue.capacity;
  for (u32 p = blockIdx.x; p < size; p += gridDim.x) {
    u64 piece = queue.pieces[p];
    if (piece == ~0ull) continue;
    i64 item = i64(piece >> 32), first = i64(piece & 0xffffffffu);
    VID v = vertex_of(item);
    i64 end = lists.segments(v);
    if (first + PIECE_SEGMENTS < end) end = first + PIECE_SEGMENTS;
    first += threadIdx.x / TILE_SIZE;
    if (first < end) work(tile, item, v, first, end, BLOCK_TILES, false);
    if (is_due_in_block(is_due)) {
      after_round();
      __syncthreads();
    }
  }
  __syncthreads();
  after_round();
}

// For each neighbor in these pieces: `body`.
template <class VertexOf, class Body, class AfterRound, class IsDue = Never>
__device__ void expand_queue(const View& view, VertexOf vertex_of, PieceQueue queue, Body& body, AfterRound after_round,
                             IsDue is_due = IsDue()) {
  auto work = [&](const ExpandTile& tile, i64 item, VID v, i64 first, i64 end, i64 step, bool) {
    for (i64 s = first; s < end; s += step) walk(view, tile, item, v, s, body);
  };
  share_out_queue(view, vertex_of, queue, work, after_round, is_due);
}

#endif
