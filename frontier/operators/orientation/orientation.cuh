// CUDA kernels over an orientation. Macros: VIEW_HEADER, VID, WEIGHT, and HAS_TALLY or HAS_SUPPORT.
//
// Every triangle y, x, w, of which y is the lowest and w the highest, is found at x. A team of threads, a block or a
// warp, processes one x at a time. It puts the upper neighbors of x into a hash table in shared memory, and looks up
// the neighbors of each lower neighbor. Every match is above x, and so above y. Lists are read from the graph, whatever
// its structure. Only the upper neighbors of the first `listed` vertices, whose lists are long and read many times,
// have been copied.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#include "frontier/cuda/expand.cuh"
#include "frontier/cuda/neighbor_sets.cuh"
#include "frontier/cuda/work.cuh"

constexpr int SMALL_LIST = 64;  // neighbors, at most, of a vertex for one warp (__init__.py has the same number)
#if defined(HAS_TALLY) || defined(HAS_SUPPORT)
#define HAS_COUNTS
#endif

// The graph, its vertices in order (rank[v] is v's position, and lower positions are higher up), and the copied lists.
struct Oriented {
  View view;
  const VID* rank;
  i64 members;       // vertices from this position on are ignored
  const i64* above;  // by position: number of upper neighbors
  i64 listed;
  const i64* first;  // by position: start of the copied list
  const VID* lists;
};

// The shared memory of SIZE threads that work on one vertex. Their hash table has TABLE entries at most. PARTNERS lower
// neighbors are buffered.
template <int SIZE, int TABLE, int PARTNERS>
struct Buffers {
  typedef Team<SIZE> Threads;
  static constexpr int TILES = SIZE / TILE_SIZE;
  static constexpr int CAPACITY = TABLE, PART = TABLE / 2;  // PART upper neighbors are in the table at a time
  static constexpr int EACH = PARTNERS / TILES;             // lower neighbors of a tile in the buffer
  VID entries[TABLE];
#ifdef HAS_COUNTS
  u32 counts[TABLE];
#endif
  VID partners[PARTNERS];
  u32 waiting;
};

// Calls body(neighbor, at, copied) for a list. It is the list of the graph, with the slot as `at`, or its copied upper
// range, with the position among the copies. Returns which.
template <class Body>
__device__ __forceinline__ bool walk_list(const Oriented& graph, const ExpandTile& tile, VID v, Body body) {
  i64 place = graph.rank[v];
  if (place >= graph.listed) {
    auto each = [&](i64, VID, VID neighbor, i64 slot, bool valid) {
      if (valid) body(neighbor, slot, false);
    };
    i64 segments = graph.view.segments(v);
    for (i64 s = 0; s < segments; ++s) walk(graph.view, tile, 0, v, s, each);
    return false;
  }
  i64 end = graph.first[place + 1];
  for (i64 base = graph.first[place] + tile.lane; base < end; base += 4 * TILE_SIZE) {
    VID neighbor[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)  // all loads first: they overlap
      neighbor[k] = base + k * TILE_SIZE < end ? graph.lists[base + k * TILE_SIZE] : VID(EMPTY);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (neighbor[k] >= 0) body(neighbor[k], base + k * TILE_SIZE, true);
  }
  return true;
}

// The counters of triangles: for the three vertices of each, or for the three arcs that lead up. Arcs of copied lists
// have counters by position among the copies, as such counters lie close together. All other arcs have counters by
// `edge`.
struct Counts {
  u64* tally;
  int* support;
  int* of_copies;

  __device__ int* of_arc(const View& view, i64 at, bool copied) const {
    return copied ? of_copies + at : support + edge_of(view, at);
  }
};

// The triangles with x in the middle whose lowest vertex is in piece `piece` of `pieces` of x's list. Each thread
// returns its part of their number.
template <class Buffers>
__device__ u64 triangles_of(const Oriented& graph, Buffers& shared, VID x, i64 piece, i64 pieces, const Counts& out) {
  typedef typename Buffers::Threads Team;
  const View& view = graph.view;
  ExpandTile tile;
  const int tile_id = Team::thread() / TILE_SIZE;
  const u32 lanes_before = (1u << tile.lane) - 1;
  i64 place = graph.rank[x], upper = graph.above[place], segments = view.segments(x);
  bool is_listed = place < graph.listed;
  // The number of upper neighbors in a part of the table that one tile may put there.
  i64 quota = upper <= Buffers::PART ? i64(Buffers::PART) : i64(Buffers::PART / Buffers::TILES);
  u64 of_x = 0;
  bool more = true;
  for (i64 part = 0; more; ++part) {
    HashSet<Team> table(shared.entries, Buffers::CAPACITY, upper < Buffers::PART ? upper : i64(Buffers::PART));
#ifdef HAS_COUNTS
    for (u32 i = Team::thread(); i < table.places; i += Team::size) shared.counts[i] = 0;
#endif
    Team::sync();
    i64 low = is_listed ? graph.first[place] + part * Buffers::PART : 0, high = is_listed ? graph.first[place + 1] : 0;
    if (is_listed) {
      more = high - low > Buffers::PART;
      if (more) high = low + Buffers::PART;
      for (i64 i = low + Team::thread(); i < high; i += Team::size) table.put(graph.lists[i]);
      Team::sync();
    } else {
      i64 held = 0;  // the tile walks the same segments for every part
      auto put = [&](i64, VID, VID w, i64, bool valid) {
        bool is_upper = valid && graph.rank[w] < place;
        u32 found = tile.ballot(is_upper);
        i64 at = held + __popc(found & lanes_before) - part * quota;
        if (is_upper && at >= 0 && at < quota) table.put(w);
        held += __popc(found);
      };
      for (i64 s = tile_id; s < segments; s += Buffers::TILES) walk(view, tile, 0, x, s, put);
      more = Team::any(held > (part + 1) * quota);
    }
    // The lower neighbors of the piece, in rounds of at most EACH of each tile's.
    i64 begin = segments * piece / pieces, end = segments * (piece + 1) / pieces;
    bool again = true;
    for (i64 round = 0; again; ++round) {
      if (Team::thread() == 0) shared.waiting = 0;
      Team::sync();
      i64 met = 0;
      auto gather = [&](i64, VID, VID y, i64, bool valid) {
        i64 of_y = valid ? i64(graph.rank[y]) : -1;
        bool is_lower = of_y > place && of_y < graph.members;
        u32 found = tile.ballot(is_lower);
        i64 at = met + __popc(found & lanes_before) - round * Buffers::EACH;
        met += __popc(found);
        bool waits = is_lower && at >= 0 && at < Buffers::EACH;
        u32 waiting = tile.ballot(waits), from = 0;
        if (waiting == 0) return;
        if (tile.lane == 0) from = atomicAdd(&shared.waiting, u32(__popc(waiting)));
        from = tile.shfl(from, 0);
        if (waits) shared.partners[from + __popc(waiting & lanes_before)] = y;
      };
      for (i64 s = begin + tile_id; s < end; s += Buffers::TILES) walk(view, tile, 0, x, s, gather);
      again = Team::any(met > (round + 1) * Buffers::EACH);
      u32 size = shared.waiting;
      for (u32 k = tile_id; k < size; k += Buffers::TILES) {
        VID y = shared.partners[k];
        u32 of_y = 0;
        i64 edge = -1;  // where y -> x is, on the lane that meets it
        bool of_copy = walk_list(graph, tile, y, [&](VID w, i64 at, bool copied) {
          table.find(w, [&](u32 place) {
            ++of_y;
#ifdef HAS_COUNTS
            atomicAdd(shared.counts + place, 1u);
#endif
#ifdef HAS_SUPPORT
            atomicAdd(out.of_arc(view, at, copied), 1);
#endif
          });
          if (w == x) edge = at;
        });
        of_x += of_y;
#ifdef HAS_COUNTS
        of_y = tile.reduce(of_y, Sum());
#endif
#ifdef HAS_TALLY
        if (of_y && tile.lane == 0) atomicAdd(out.tally + y, u64(of_y));
#endif
#ifdef HAS_SUPPORT
        if (of_y && edge >= 0) atomicAdd(out.of_arc(view, edge, of_copy), int(of_y));
#endif
      }
      Team::sync();
    }
#ifdef HAS_TALLY
    for (u32 i = Team::thread(); i < table.places; i += Team::size)
      if (shared.counts[i]) atomicAdd(out.tally + shared.entries[i], u64(shared.counts[i]));
#endif
#ifdef HAS_SUPPORT
    auto settle = [&](VID w, i64 at, bool copied) {
      table.find(w, [&](u32 place) {
        if (shared.counts[place]) atomicAdd(out.of_arc(view, at, copied), int(shared.counts[place]));
      });
    };
    if (is_listed) {
      for (i64 i = low + Team::thread(); i < high; i += Team::size) settle(graph.lists[i], i, true);
    } else {
      auto each = [&](i64, VID, VID w, i64 slot, bool valid) {
        if (valid) settle(w, slot, false);
      };
      for (i64 s = tile_id; s < segments; s += Buffers::TILES) walk(view, tile, 0, x, s, each);
    }
#endif
    Team::sync();
  }
#ifdef HAS_TALLY
  u64 sum = Tile<32>().reduce(of_x, Sum());
  if (sum && (threadIdx.x & 31) == 0) atomicAdd(out.tally + x, sum);
#endif
  return of_x;
}

#define ORIENTED_PARAMS                                                                                               \
  View view, const VID *order, const VID *rank, i64 members, const i64 *above, i64 listed, const i64 *first,           \
      const VID *lists, u64 *tally, int *support, int *of_copies, u64 *counters
#define ORIENTED Oriented{view, rank, members, above, listed, first, lists}
#define COUNTS Counts{tally, support, of_copies}

// Vertices of `order`, a block each. counters: [0] the number of triangles, [1] tickets.
extern "C" __global__ void __launch_bounds__(BLOCK) triangles(
    i64 count, ORIENTED_PARAMS, i64 hubs, const i64* first_piece) {
  __shared__ Buffers<BLOCK, 16384 / sizeof(VID), 1024> shared;
  __shared__ u64 ticket;
  Oriented graph = ORIENTED;
  u64 total = 0;
  for (;;) {
    if (threadIdx.x == 0) ticket = atomicAdd(counters + 1, 1ull);
    __syncthreads();
    if (i64(ticket) >= count) break;
    Work work(i64(ticket), order, hubs, first_piece);
    total += triangles_of(graph, shared, work.x, work.piece, work.pieces, COUNTS);
    __syncthreads();
  }
  add_total(counters, total);
}

// Vertices of `order` that have no more than SMALL_LIST neighbors, a warp each.
extern "C" __global__ void __launch_bounds__(BLOCK) triangles_of_small(i64 count, ORIENTED_PARAMS) {
  __shared__ Buffers<32, 4 * SMALL_LIST, 2 * SMALL_LIST> shared[BLOCK / 32];
  Oriented graph = ORIENTED;
  u64 total = 0;
  for (i64 i = (i64(blockIdx.x) * BLOCK + threadIdx.x) / 32; i < count; i += i64(gridDim.x) * BLOCK / 32)
    total += triangles_of(graph, shared[threadIdx.x / 32], order[i], 0, 1, COUNTS);
  add_total(counters, total);
}
