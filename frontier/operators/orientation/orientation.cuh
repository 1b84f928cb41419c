// CUDA kernels over an orientation. Macros: VIEW_HEADER, VID, WEIGHT; HAS_TALLY or HAS_SUPPORT.
//
// Every triangle y, x, w, of which y is the lowest and w the highest, is found at x. A block takes one x at a time, puts
// its upper neighbors into a hash table in shared memory, and looks the neighbors of each of its lower neighbors up there:
// what is found is above x, and so above y. Lists are read from the graph, whatever its structure. Only the upper
// neighbors of the first `listed` vertices, whose lists are long, have been copied; they are read many times.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/expand.cuh"

constexpr int TILES = BLOCK / TILE_SIZE;
constexpr int TABLE = 16384 / sizeof(VID);  // entries of the largest table, a power of two
constexpr int PART = TABLE / 2;             // upper neighbors that are in the table at a time
constexpr int PARTNERS = 1024;              // lower neighbors that wait at a time
#if defined(HAS_TALLY) || defined(HAS_SUPPORT)
#define HAS_COUNTS
#endif

__device__ __forceinline__ u32 hash_of(VID v) { return u32(v) * 0x9E3779B1u; }

// The graph, its vertices in order (rank[v] is v's place; lower places are higher up), and the lists that were copied.
struct Oriented {
  View view;
  const VID* rank;
  i64 members;       // vertices from this place on are ignored
  const i64* above;  // by place: number of upper neighbors
  i64 listed;
  const i64* first;  // by place: where the copied list begins
  const VID* lists;
  const i64* slots;  // of their arcs in the graph
};

// A hash table of 64 .. TABLE entries.
struct Table {
  VID* entries;
  u32 mask, shift;

  __device__ void resize(i64 held) {
    u32 size = 64;
    while (size < TABLE && size < 4 * held) size *= 2;
    mask = size - 1;
    shift = __clz(size) + 1;
  }
  __device__ void put(VID v) const {
    u32 h = hash_of(v) >> shift;
    while (compare_and_swap(entries + h, VID(EMPTY), v) != VID(EMPTY)) h = (h + 1) & mask;
  }
  // The place of v, or of the empty entry that ends the search for it.
  __device__ u32 place_of(VID v) const {
    u32 h = hash_of(v) >> shift;
    VID entry;
    while ((entry = entries[h]) != v && entry >= 0) h = (h + 1) & mask;
    return h;
  }
};

// Calls body(neighbor, slot) for a list: that of the graph, or the copied upper part of it.
template <class Body>
__device__ __forceinline__ void walk_list(const Oriented& graph, const ExpandTile& tile, VID v, Body body) {
  i64 place = graph.rank[v];
  if (place >= graph.listed) {
    auto each = [&](i64, VID, VID neighbor, i64 slot, bool valid) {
      if (valid) body(neighbor, slot);
    };
    i64 segments = graph.view.segments(v);
    for (i64 s = 0; s < segments; ++s) walk(graph.view, tile, 0, v, s, each);
    return;
  }
  i64 end = graph.first[place + 1];
  for (i64 base = graph.first[place] + tile.lane; base < end; base += 4 * TILE_SIZE) {
    VID neighbor[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)  // all loads first: they overlap
      neighbor[k] = base + k * TILE_SIZE < end ? graph.lists[base + k * TILE_SIZE] : VID(EMPTY);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (neighbor[k] >= 0) body(neighbor[k], graph.slots ? graph.slots[base + k * TILE_SIZE] : -1);
  }
}

// The vertex of a ticket, and which piece of how many of its list of lower neighbors. The first `hubs` vertices of `order`
// have several pieces, from ticket first_piece[i] on.
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

// counters: [0] the number of triangles, [1] tickets. `tally` is added to for the three vertices of each; `support` for the
// three edges, in the slots of the arcs that lead up.
extern "C" __global__ void __launch_bounds__(BLOCK) triangles(
    i64 count, View view, const VID* order, i64 hubs, const i64* first_piece, const VID* rank, i64 members,
    const i64* above, i64 listed, const i64* first, const VID* lists, const i64* slots, u64* tally, int* support,
    u64* counters) {
  __shared__ VID entries[TABLE];
#ifdef HAS_COUNTS
  __shared__ u32 counts[TABLE];
#endif
  __shared__ VID partners[PARTNERS];
  __shared__ u32 waiting;
  __shared__ u64 ticket;
  Oriented graph{view, rank, members, above, listed, first, lists, slots};
  Table table{entries, 0, 0};
  ExpandTile tile;
  const int tile_id = threadIdx.x / TILE_SIZE;
  const u32 lanes_before = (1u << tile.lane) - 1;
  u64 total = 0;
  for (;;) {
    if (threadIdx.x == 0) ticket = atomicAdd(counters + 1, 1ull);
    __syncthreads();
    if (i64(ticket) >= count) break;
    Work work(i64(ticket), order, hubs, first_piece);
    VID x = work.x;
    i64 place = rank[x], upper = above[place], segments = view.segments(x);
    bool is_listed = place < listed;
    i64 quota = upper <= PART ? PART : PART / TILES;  // upper neighbors in a part of the table that one tile may put there
    u64 of_x = 0;
    bool more = true;
    for (i64 part = 0; more; ++part) {
      table.resize(upper < PART ? upper : PART);
      for (u32 i = threadIdx.x; i <= table.mask; i += BLOCK) {
        entries[i] = VID(EMPTY);
#ifdef HAS_COUNTS
        counts[i] = 0;
#endif
      }
      __syncthreads();
      i64 low = is_listed ? first[place] + part * PART : 0, high = is_listed ? first[place + 1] : 0;
      if (is_listed) {
        more = high - low > PART;
        if (more) high = low + PART;
        for (i64 i = low + threadIdx.x; i < high; i += BLOCK) table.put(lists[i]);
        __syncthreads();
      } else {
        i64 held = 0;  // the tile walks the same segments for every part
        auto put = [&](i64, VID, VID w, i64, bool valid) {
          bool is_upper = valid && rank[w] < place;
          u32 found = tile.ballot(is_upper);
          i64 at = held + __popc(found & lanes_before) - part * quota;
          if (is_upper && at >= 0 && at < quota) table.put(w);
          held += __popc(found);
        };
        for (i64 s = tile_id; s < segments; s += TILES) walk(view, tile, 0, x, s, put);
        more = __syncthreads_or(held > (part + 1) * quota);
      }
      // The lower neighbors of this piece, in rounds of at most PARTNERS: so many of each tile's.
      constexpr int EACH = PARTNERS / TILES;
      i64 begin = segments * work.piece / work.pieces, end = segments * (work.piece + 1) / work.pieces;
      bool again = true;
      for (i64 round = 0; again; ++round) {
        if (threadIdx.x == 0) waiting = 0;
        __syncthreads();
        i64 met = 0;
        auto gather = [&](i64, VID, VID y, i64, bool valid) {
          i64 of_y = valid ? i64(rank[y]) : -1;
          bool is_lower = of_y > place && of_y < members;
          u32 found = tile.ballot(is_lower);
          i64 at = met + __popc(found & lanes_before) - round * EACH;
          met += __popc(found);
          if (is_lower && at >= 0 && at < EACH) partners[atomicAdd(&waiting, 1u)] = y;
        };
        for (i64 s = begin + tile_id; s < end; s += TILES) walk(view, tile, 0, x, s, gather);
        again = __syncthreads_or(met > (round + 1) * EACH);
        u32 size = waiting;
        for (u32 k = tile_id; k < size; k += TILES) {
          VID y = partners[k];
          u32 of_y = 0;
          i64 edge = -1;  // the slot of y -> x, on the lane that meets it
          walk_list(graph, tile, y, [&](VID w, i64 slot) {
            u32 h = table.place_of(w);
            if (entries[h] == w) {
              ++of_y;
#ifdef HAS_COUNTS
              atomicAdd(counts + h, 1u);
#endif
#ifdef HAS_SUPPORT
              atomicAdd(support + slot, 1);
#endif
            }
            if (w == x) edge = slot;
          });
          of_x += of_y;
#ifdef HAS_COUNTS
          of_y = tile.reduce(of_y, Sum());
#endif
#ifdef HAS_TALLY
          if (of_y && tile.lane == 0) atomicAdd(tally + y, u64(of_y));
#endif
#ifdef HAS_SUPPORT
          if (of_y && edge >= 0) atomicAdd(support + edge, int(of_y));
#endif
        }
        __syncthreads();
      }
#ifdef HAS_TALLY
      for (u32 i = threadIdx.x; i <= table.mask; i += BLOCK)
        if (counts[i]) atomicAdd(tally + entries[i], u64(counts[i]));
#endif
#ifdef HAS_SUPPORT
      auto settle = [&](VID w, i64 slot) {
        u32 h = table.place_of(w);
        if (entries[h] == w && counts[h]) atomicAdd(support + slot, int(counts[h]));
      };
      if (is_listed) {
        for (i64 i = low + threadIdx.x; i < high; i += BLOCK) settle(lists[i], slots[i]);
      } else {
        auto each = [&](i64, VID, VID w, i64 slot, bool valid) {
          if (valid) settle(w, slot);
        };
        for (i64 s = tile_id; s < segments; s += TILES) walk(view, tile, 0, x, s, each);
      }
#endif
      __syncthreads();
    }
#ifdef HAS_TALLY
    u64 sum = Tile<32>().reduce(of_x, Sum());
    if (sum && (threadIdx.x & 31) == 0) atomicAdd(tally + x, sum);
#endif
    total += of_x;
    __syncthreads();
  }
  total = Tile<32>().reduce(total, Sum());
  if ((threadIdx.x & 31) == 0 && total) atomicAdd(counters, total);
}
