// CUDA kernels of intersect_arcs and edge_support. Macros: VIEW_HEADER, VID, WEIGHT, and HAS_TALLY or HAS_SUPPORT.
//
// A team of threads, a block or a warp, processes one vertex x at a time, or a piece of its partners. It puts the
// neighbors of x into a set in shared memory, and looks up there the neighbors of each partner y. Matches w are counted
// next to the set for w and x -> w, and in registers for y and y -> x. Only the count of y -> w costs an atomic in
// global memory for each match. A sorted list of y is read only up to the last neighbor of x. Both views are of
// snapshots: a vertex's neighbors are one run without gaps.
#pragma once
#include "frontier/cuda/types.cuh"
#include VIEW_HEADER
#include "frontier/cuda/tile.cuh"
#include "frontier/cuda/work.cuh"
#include "frontier/cuda/neighbor_sets.cuh"

constexpr int THREADS = 256;
constexpr int SMALL_LIST = 128;  // neighbors and partners, at most, of a vertex for one warp (as in __init__.py)
constexpr int PART = 2048;       // neighbors of x in a set of bits at a time; a hash table has half as many
constexpr int LOADS = 4;         // neighbors of y that a lane loads before it looks one up: the loads overlap
constexpr VID LAST = VID(~u64(0) >> (8 * (8 - sizeof(VID)) + 1));  // after every id
typedef Tile<8> WalkTile;

#if defined(HAS_TALLY) || defined(HAS_SUPPORT)
#define HAS_COUNTS
#endif

// The graph in which neighbors are looked up, and the one with the partners of its vertices.
struct Input {
  View view, pairs;
  bool is_sorted;
};

// The counters of vertices, or of the arcs of an acyclic graph, by slot.
struct Output {
  u64* tally;
  int* support;
};

// Looks up the neighbors of some partners of x. Returns a thread's part of the matches.
template <class Team, class Set>
__device__ __forceinline__ u32 look_up(const Input& in, const Set& set, VID x, VID last, const VID* partner,
                                       const VID* end, u32* counts, const Output& out) {
  WalkTile tile;
  u32 of_x = 0;
  for (partner += Team::thread() / WalkTile::size; partner < end; partner += Team::size / WalkTile::size) {
    VID y = *partner;
    const VID* list = in.view.neighbors + in.view.segment(y, 0).low;
    int length = int(in.view.degree(y)), edge = -1;  // the position of x in y's list, on the lane that meets it
    u32 of_y = 0;
    for (int base = 0; base < length; base += LOADS * WalkTile::size) {
      const int first = base + tile.lane;
      const VID* at = list + first;
      VID w[LOADS];
#pragma unroll
      for (int j = 0; j < LOADS; ++j) w[j] = first + j * WalkTile::size < length ? at[j * WalkTile::size] : LAST;
#pragma unroll
      for (int j = 0; j < LOADS; ++j) {
        set.find(w[j], [&](u32 place) {
          ++of_y;
#ifdef HAS_COUNTS
          atomicAdd(counts + place, 1u);
#endif
#ifdef HAS_SUPPORT
          atomicAdd(out.support + (at - in.view.neighbors) + j * WalkTile::size, 1);
#endif
        });
#ifdef HAS_SUPPORT
        if (w[j] == x) edge = first + j * WalkTile::size;
#endif
      }
      if (tile.shfl(w[LOADS - 1], WalkTile::size - 1) >= last) break;  // later ones are above it
    }
    of_x += of_y;
#ifdef HAS_COUNTS
    of_y = tile.reduce(of_y, Sum());
#endif
#ifdef HAS_TALLY
    if (of_y && tile.lane == 0) atomicAdd(out.tally + y, u64(of_y));
#endif
#ifdef HAS_SUPPORT
    if (of_y && edge >= 0) atomicAdd(out.support + (list - in.view.neighbors) + edge, int(of_y));
#endif
  }
  return of_x;
}

// Processes a vertex, or a piece of its partners. Returns a thread's part of the matches.
template <class Team>
__device__ u64 intersect_one(const Input& in, const Work& work, VID* entries, u32 capacity, BitSet::Memory* bits,
                             u32* counts, const Output& out) {
  VID x = work.x;
  i64 degree = in.view.degree(x), partners = in.pairs.degree(x), low = in.view.segment(x, 0).low;
  const VID* partner = in.pairs.neighbors + in.pairs.segment(x, 0).low;
  const VID* end = partner + partners * (work.piece + 1) / work.pieces;
  partner += partners * work.piece / work.pieces;
  if (partner == end) return 0;  // there may be more pieces than partners
  u64 of_x = 0;
  u32 listed;
  for (i64 first = low; first < low + degree; first += listed) {
    const VID* list = in.view.neighbors + first;
    i64 rest = low + degree - first;
    auto process = [&](const auto& set, VID last) {
#ifdef HAS_COUNTS
      for (u32 i = Team::thread(); i < set.places; i += Team::size) counts[i] = 0;
#endif
      Team::sync();
#ifdef HAS_SUPPORT
      last = last > x ? last : x;  // the arc y -> x is met, too
#endif
      of_x += look_up<Team>(in, set, x, last, partner, end, counts, out);
      Team::sync();
#ifdef HAS_COUNTS
      for (u32 i = Team::thread(); i < listed; i += Team::size) {
        set.find(list[i], [&](u32 place) {
#ifdef HAS_TALLY
          if (counts[place]) atomicAdd(out.tally + list[i], u64(counts[place]));
#else
          if (counts[place]) atomicAdd(out.support + first + i, int(counts[place]));
#endif
        });
      }
      Team::sync();
#endif
    };
    listed = u32(rest < PART ? rest : PART);
    if constexpr (Team::size > 32) {  // a warp's vertex has too few neighbors for so large a set
      if (in.is_sorted && list[listed - 1] - list[0] < BITS) {
        process(BitSet(*bits, list, listed), list[listed - 1]);
        continue;
      }
    }
    listed = listed < capacity / 2 ? listed : capacity / 2;
    process(HashSet<Team>(entries, capacity, list, listed), in.is_sorted ? list[listed - 1] : LAST);
  }
#ifdef HAS_TALLY
  u64 sum = Tile<32>().reduce(of_x, Sum());
  if (sum && (threadIdx.x & 31) == 0) atomicAdd(out.tally + x, sum);
#endif
  return of_x;
}

#define INTERSECT_PARAMS \
  View view, View pairs, const VID *order, bool is_sorted, u64 *tally, int *support, u64 *counters
#define INPUT Input{view, pairs, is_sorted}
#define OUTPUT Output{tally, support}

// Vertices of `order`, a block each or several. counters: [0] the sum of matches, [1] tickets.
extern "C" __global__ void __launch_bounds__(THREADS, 8) intersect_arcs(
    i64 count, INTERSECT_PARAMS, i64 hubs, const i64* first_piece) {
  __shared__ union {
    BitSet::Memory bits;
    VID entries[PART];
  } set;
  __shared__ u32 counts[PART];
  __shared__ u64 ticket;
  u64 total = 0;
  for (;;) {
    if (threadIdx.x == 0) ticket = atomicAdd(counters + 1, 1ull);
    __syncthreads();
    i64 at = i64(ticket);
    __syncthreads();
    if (at >= count) break;
    Work work(at, order, hubs, first_piece);
    total += intersect_one<Team<THREADS>>(INPUT, work, set.entries, PART, &set.bits, counts, OUTPUT);
  }
  add_total(counters, total);
}

// Vertices of `order` that have no more than SMALL_LIST neighbors and partners, a warp each.
extern "C" __global__ void __launch_bounds__(THREADS, 6) intersect_arcs_of_small(i64 count, INTERSECT_PARAMS) {
  constexpr int TABLE = 2 * SMALL_LIST;
  __shared__ VID entries[THREADS / 32][TABLE];
  __shared__ u32 counts[THREADS / 32][TABLE];
  int warp = threadIdx.x / 32;
  u64 total = 0;
  for (i64 i = (i64(blockIdx.x) * THREADS + threadIdx.x) / 32; i < count; i += i64(gridDim.x) * THREADS / 32)
    total += intersect_one<Team<32>>(INPUT, Work(order[i]), entries[warp], TABLE, nullptr, counts[warp], OUTPUT);
  add_total(counters, total);
}
