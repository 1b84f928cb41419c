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

constexpr int SMALL_LIST = 64;  // neighbors, at most, of a vertex for one warp (__init__.py has the same number)
#if defined(HAS_TALLY) || defined(HAS_SUPPORT)
#define HAS_COUNTS
#endif

__device__ __forceinline__ u32 hash_of(VID v) { return u32(v) * 0x9E3779B1u; }

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

// SIZE threads that work on one vertex. Their hash table has a power of two entries, TABLE at most. PARTNERS lower
// neighbors are buffered.
template <int SIZE, int TABLE, int PARTNERS>
struct Team {
  static constexpr int TILES = SIZE / TILE_SIZE, PART = TABLE / 2;  // upper neighbors that are in the table at a time
  static constexpr int EACH = PARTNERS / TILES;                     // lower neighbors of a tile in the buffer
  VID entries[TABLE];
#ifdef HAS_COUNTS
  u32 counts[TABLE];
#endif
  VID partners[PARTNERS];
  u32 waiting;

  static __device__ int thread() { return threadIdx.x & (SIZE - 1); }
  static __device__ void sync() {
    if (SIZE == 32) __syncwarp(); else __syncthreads();
  }
  // Whether it is true for any thread. Synchronizes the team.
  static __device__ bool any(bool predicate) {
    if (SIZE != 32) return __syncthreads_or(predicate);
    bool found = __any_sync(0xffffffffu, predicate);
    __syncwarp();
    return found;
  }
};

// The number of used entries of a table, and the positions of values in it.
template <class Team>
struct Table {
  Team& team;
  u32 mask, shift;

  __device__ Table(Team& team, i64 held) : team(team) {
    u32 size = 64;
    while (size < 2 * Team::PART && size < 4 * held) size *= 2;
    mask = size - 1;
    shift = __clz(size) + 1;
  }
  __device__ void clear() const {
    for (u32 i = Team::thread(); i <= mask; i += Team::TILES * TILE_SIZE) {
      team.entries[i] = VID(EMPTY);
#ifdef HAS_COUNTS
      team.counts[i] = 0;
#endif
    }
  }
  __device__ void put(VID v) const {
    u32 h = hash_of(v) >> shift;
    while (compare_and_swap(team.entries + h, VID(EMPTY), v) != VID(EMPTY)) h = (h + 1) & mask;
  }
  // The position of v, or of the empty entry that ends the search for it.
  __device__ u32 place_of(VID v) const {
    u32 h = hash_of(v) >> shift;
    VID entry;
    while ((entry = team.entries[h]) != v && entry >= 0) h = (h + 1) & mask;
    return h;
  }
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
template <class Team>
__device__ u64 triangles_of(const Oriented& graph, Team& team, VID x, i64 piece, i64 pieces, const Counts& out) {
  const View& view = graph.view;
  ExpandTile tile;
  const int tile_id = Team::thread() / TILE_SIZE;
  const u32 lanes_before = (1u << tile.lane) - 1;
  i64 place = graph.rank[x], upper = graph.above[place], segments = view.segments(x);
  bool is_listed = place < graph.listed;
  // The number of upper neighbors in a part of the table that one tile may put there.
  i64 quota = upper <= Team::PART ? i64(Team::PART) : i64(Team::PART / Team::TILES);
  u64 of_x = 0;
  bool more = true;
  for (i64 part = 0; more; ++part) {
    Table<Team> table(team, upper < Team::PART ? upper : i64(Team::PART));
    table.clear();
    Team::sync();
    i64 low = is_listed ? graph.first[place] + part * Team::PART : 0, high = is_listed ? graph.first[place + 1] : 0;
    if (is_listed) {
      more = high - low > Team::PART;
      if (more) high = low + Team::PART;
      for (i64 i = low + Team::thread(); i < high; i += Team::TILES * TILE_SIZE) table.put(graph.lists[i]);
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
      for (i64 s = tile_id; s < segments; s += Team::TILES) walk(view, tile, 0, x, s, put);
      more = Team::any(held > (part + 1) * quota);
    }
    // The lower neighbors of the piece, in rounds of at most EACH of each tile's.
    i64 begin = segments * piece / pieces, end = segments * (piece + 1) / pieces;
    bool again = true;
    for (i64 round = 0; again; ++round) {
      if (Team::thread() == 0) team.waiting = 0;
      Team::sync();
      i64 met = 0;
      auto gather = [&](i64, VID, VID y, i64, bool valid) {
        i64 of_y = valid ? i64(graph.rank[y]) : -1;
        bool is_lower = of_y > place && of_y < graph.members;
        u32 found = tile.ballot(is_lower);
        i64 at = met + __popc(found & lanes_before) - round * Team::EACH;
        met += __popc(found);
        bool waits = is_lower && at >= 0 && at < Team::EACH;
        u32 waiting = tile.ballot(waits), from = 0;
        if (waiting == 0) return;
        if (tile.lane == 0) from = atomicAdd(&team.waiting, u32(__popc(waiting)));
        from = tile.shfl(from, 0);
        if (waits) team.partners[from + __popc(waiting & lanes_before)] = y;
      };
      for (i64 s = begin + tile_id; s < end; s += Team::TILES) walk(view, tile, 0, x, s, gather);
      again = Team::any(met > (round + 1) * Team::EACH);
      u32 size = team.waiting;
      for (u32 k = tile_id; k < size; k += Team::TILES) {
        VID y = team.partners[k];
        u32 of_y = 0;
        i64 edge = -1;  // where y -> x is, on the lane that meets it
        bool of_copy = walk_list(graph, tile, y, [&](VID w, i64 at, bool copied) {
          u32 h = table.place_of(w);
          if (team.entries[h] == w) {
            ++of_y;
#ifdef HAS_COUNTS
            atomicAdd(team.counts + h, 1u);
#endif
#ifdef HAS_SUPPORT
            atomicAdd(out.of_arc(view, at, copied), 1);
#endif
          }
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
    for (u32 i = Team::thread(); i <= table.mask; i += Team::TILES * TILE_SIZE)
      if (team.counts[i]) atomicAdd(out.tally + team.entries[i], u64(team.counts[i]));
#endif
#ifdef HAS_SUPPORT
    auto settle = [&](VID w, i64 at, bool copied) {
      u32 h = table.place_of(w);
      if (team.entries[h] == w && team.counts[h]) atomicAdd(out.of_arc(view, at, copied), int(team.counts[h]));
    };
    if (is_listed) {
      for (i64 i = low + Team::thread(); i < high; i += Team::TILES * TILE_SIZE) settle(graph.lists[i], i, true);
    } else {
      auto each = [&](i64, VID, VID w, i64 slot, bool valid) {
        if (valid) settle(w, slot, false);
      };
      for (i64 s = tile_id; s < segments; s += Team::TILES) walk(view, tile, 0, x, s, each);
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

// The vertex of a ticket, the piece of its list of lower neighbors, and the number of its pieces. The first `hubs`
// vertices of `order` have several pieces, from ticket first_piece[i] on.
struct Work {
  VID x;
  i64 piece, pieces;

  __device__ Work(i64 ticket, const VID* order, i64 hubs, const i64* first_piece) : piece(0), pieces(1) {
    i64 of_hubs = hubs ? first_piece[hubs] : 0;
    if (ticket >= of_hubs) {
      x = order[hubs + ticket - of_hubs];
      return;
    }
    i64 low = 0, high = hubs;
    while (high - low > 1) {
      i64 middle = (low + high) >> 1;
      if (first_piece[middle] <= ticket) low = middle; else high = middle;
    }
    x = order[low];
    piece = ticket - first_piece[low];
    pieces = first_piece[low + 1] - first_piece[low];
  }
};

#define ORIENTED_PARAMS                                                                                               \
  View view, const VID *order, const VID *rank, i64 members, const i64 *above, i64 listed, const i64 *first,           \
      const VID *lists, u64 *tally, int *support, int *of_copies, u64 *counters
#define ORIENTED Oriented{view, rank, members, above, listed, first, lists}
#define COUNTS Counts{tally, support, of_copies}

__device__ __forceinline__ void add_total(u64* counters, u64 total) {
  total = Tile<32>().reduce(total, Sum());
  if ((threadIdx.x & 31) == 0 && total) atomicAdd(counters, total);
}

// Vertices of `order`, a block each. counters: [0] the number of triangles, [1] tickets.
extern "C" __global__ void __launch_bounds__(BLOCK) triangles(
    i64 count, ORIENTED_PARAMS, i64 hubs, const i64* first_piece) {
  typedef Team<BLOCK, 16384 / sizeof(VID), 1024> Block;
  __shared__ Block team;
  __shared__ u64 ticket;
  Oriented graph = ORIENTED;
  u64 total = 0;
  for (;;) {
    if (threadIdx.x == 0) ticket = atomicAdd(counters + 1, 1ull);
    __syncthreads();
    if (i64(ticket) >= count) break;
    Work work(i64(ticket), order, hubs, first_piece);
    total += triangles_of(graph, team, work.x, work.piece, work.pieces, COUNTS);
    __syncthreads();
  }
  add_total(counters, total);
}

// Vertices of `order` that have no more than SMALL_LIST neighbors, a warp each.
extern "C" __global__ void __launch_bounds__(BLOCK) triangles_of_small(i64 count, ORIENTED_PARAMS) {
  typedef Team<32, 4 * SMALL_LIST, 2 * SMALL_LIST> Warp;
  __shared__ Warp teams[BLOCK / 32];
  Oriented graph = ORIENTED;
  u64 total = 0;
  for (i64 i = (i64(blockIdx.x) * BLOCK + threadIdx.x) / 32; i < count; i += i64(gridDim.x) * BLOCK / 32)
    total += triangles_of(graph, teams[threadIdx.x / 32], order[i], 0, 1, COUNTS);
  add_total(counters, total);
}
