// The list that a kernel puts members of a frontier into: gathered in shared memory, appended to global memory a block at
// a time.
#pragma once
#include "frontier/cuda/expand.cuh"
#include "frontier/cuda/ticket.cuh"

// A list of vertices. put(): writes an item to a position, and returns the number of arcs that leave it.
struct VertexList {
  typedef VID Item;
  VID* vertices;

  __device__ u64 put(const View& view, u64 at, VID v) const {
    vertices[at] = v;
    return u64(view.degree(v));
  }
};

// A list of arcs: their sources and slots. The arcs that leave them are not counted.
struct ArcList {
  struct Item {
    i64 slot;
    VID src;
  };
  VID* sources;
  i64* slots;

  __device__ u64 put(const View&, u64 at, Item arc) const {
    sources[at] = arc.src;
    slots[at] = arc.slot;
    return 0;
  }
};

template <class Item>
constexpr u32 OUTPUT_BUFFER = sizeof(Item) <= 8 ? 2048 : 1024;

// counters[0]: items appended. counters[1]: arcs that leave them.
template <class List>
struct Output {
  typedef typename List::Item Item;
  List list;
  u64* counters;
  Item* buffer;  // shared, OUTPUT_BUFFER<Item>
  u32* held;     // shared
  u64 arcs;      // of the items that this thread has put into the list because the buffer was full

  __device__ void append(const View& view, Item item) {
    u32 at = atomicAdd(held, 1u);
    if (at < OUTPUT_BUFFER<Item>) {
      buffer[at] = item;
    } else {
      arcs += list.put(view, u64(ticket(counters)), item);
    }
  }
  // Whether to flush, so threads do not contend for the counter.
  __device__ bool is_filling() const { return *(volatile u32*)held >= OUTPUT_BUFFER<Item> / 4; }
  // By all threads of the block, between barriers.
  __device__ void flush(const View& view) {
    u32 count = *held < OUTPUT_BUFFER<Item> ? *held : OUTPUT_BUFFER<Item>;
    if (count == 0) return;
    __shared__ u64 start;
    if (threadIdx.x == 0) start = atomicAdd(counters, u64(count));
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += blockDim.x) arcs += list.put(view, start + i, buffer[i]);
    arcs = Tile<32>().reduce(arcs, Sum());
    if ((threadIdx.x & 31) == 0 && arcs) atomicAdd(counters + 1, arcs);
    arcs = 0;
    if (threadIdx.x == 0) *held = 0;
  }
};

#define MAKE_OUTPUT(name, List, list, counters)                        \
  __shared__ List::Item name##_buffer[OUTPUT_BUFFER<List::Item>];      \
  __shared__ u32 name##_held;                                          \
  if (threadIdx.x == 0) name##_held = 0;                               \
  __syncthreads();                                                     \
  Output<List> name{list, counters, name##_buffer, &name##_held, 0}
