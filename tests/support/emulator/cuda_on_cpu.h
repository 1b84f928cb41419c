// CUDA's language on a CPU, as far as our kernels use it: to be included before a kernel's header by a C++ compiler.
//
// Each thread block runs on one thread of the system. Its CUDA threads are coroutines, which switch where CUDA threads
// wait for each other, and now and then at atomics and at reads past the cache. So a barrier that some threads do not
// reach, or a warp's operation that some of its lanes do not join, is a deadlock that is reported. x86-64.
#pragma once
#include <sys/mman.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#define __global__ [[gnu::used]]
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__
#define __shared__ static thread_local

struct uint3 { unsigned x, y, z; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) longlong2 { long long x, y; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline longlong2 make_longlong2(long long x, long long y) { return {x, y}; }

namespace emulator {

constexpr int WARP = 32, MAX_THREADS = 1024;
constexpr size_t STACK = 256 << 10;

extern "C" void emulator_switch(void** from, void* to);
asm(R"(
.text
.local emulator_switch
.type emulator_switch, @function
emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

struct Lane {
  void* stack_pointer;
  uint3 index;
  int number;
  bool done;
  // The operation that it waits for: the mask of a warp's operation (0: none), and a block's barrier.
  unsigned mask;
  bool at_barrier;
  uint64_t value, values[WARP];
};

struct Block {
  Lane* lanes;
  char* stacks;
  char* dynamic;
  void* scheduler;
  Lane* current;
  uint3 index, block, grid;
  int threads, left, arrived;
  long long sum, sum_of_last;
  uint64_t random;
  void (*call)(void**);
  void** parameters;
};

inline thread_local Block* block = nullptr;

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "emulated kernel: %s (block %u, thread %d)\n", what, block->index.x, block->current->number);
  std::abort();
}

inline void yield() {
  Lane* lane = block->current;
  emulator_switch(&lane->stack_pointer, block->scheduler);
}

inline uint64_t draw() {
  uint64_t& x = block->random;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return x;
}

// Yields to other threads now and then, so the order of threads is arbitrary and none waits forever.
inline void maybe_yield() {
  if (draw() % 8 == 0) yield();
}

inline void release_barrier() {
  block->sum_of_last = block->sum;
  block->sum = 0;
  block->arrived = 0;
  for (int k = 0; k < block->threads; ++k) block->lanes[k].at_barrier = false;
}

inline long long barrier(long long term) {
  block->sum += term;
  block->current->at_barrier = true;
  if (++block->arrived == block->left) release_barrier();
  while (block->current->at_barrier) yield();
  return block->sum_of_last;
}

// Exchanges a value among the lanes of a mask, all of which have to come.
inline const uint64_t* exchange(unsigned mask, uint64_t value) {
  Lane* self = block->current;
  int first = self->number & ~(WARP - 1);
  if (!(mask >> (self->number & 31) & 1)) fail("a lane is not in the mask of its own operation");
  self->value = value;
  self->mask = mask;
  for (int k = 0; k < WARP; ++k) {
    if (!(mask >> k & 1)) continue;
    if (first + k >= block->threads) fail("a mask names lanes that there are not");
    Lane& other = block->lanes[first + k];
    if (other.done) fail("a mask names a lane that has ended");
    if (other.mask != mask) {  // not yet here
      while (self->mask) yield();
      return self->values;
    }
  }
  uint64_t values[WARP] = {};
  for (int k = 0; k < WARP; ++k)
    if (mask >> k & 1) values[k] = block->lanes[first + k].value;
  for (int k = 0; k < WARP; ++k) {
    if (!(mask >> k & 1)) continue;
    Lane& other = block->lanes[first + k];
    std::memcpy(other.values, values, sizeof values);
    other.mask = 0;
  }
  return self->values;
}

template <class T>
uint64_t bits_of(T value) {
  static_assert(sizeof(T) <= 8, "a value that is exchanged has at most eight bytes");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T value_of(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline void run_lane() {
  block->call(block->parameters);
  Lane* self = block->current;
  self->done = true;
  --block->left;
  if (block->left && block->arrived == block->left) release_barrier();
  for (;;) yield();
}

inline void prepare(Lane& lane, int number, char* stack) {
  lane.index = {unsigned(number), 0, 0};
  lane.number = number;
  lane.done = lane.at_barrier = false;
  lane.mask = 0;
  void** top = reinterpret_cast<void**>(stack + STACK);
  *--top = nullptr;  // the return address of a function, which aligns the stack
  *--top = reinterpret_cast<void*>(&run_lane);
  for (int k = 0; k < 6; ++k) *--top = nullptr;
  lane.stack_pointer = top;
}

inline void run_block() {
  for (int k = 0; k < block->threads; ++k) prepare(block->lanes[k], k, block->stacks + k * STACK);
  block->left = block->threads;
  block->arrived = 0;
  block->sum = 0;
  int order[MAX_THREADS];
  for (int k = 0; k < block->threads; ++k) order[k] = k;
  long long idle = 0;
  while (block->left) {
    int start = int(draw() % block->threads), step = draw() % 2 ? 1 : block->threads - 1, moved = 0;
    for (int n = 0, k = start; n < block->threads; ++n, k = (k + step) % block->threads) {
      Lane& lane = block->lanes[k];
      if (lane.done || lane.at_barrier || lane.mask) continue;
      block->current = &lane;
      emulator_switch(&block->scheduler, lane.stack_pointer);
      ++moved;
    }
    if (!moved && ++idle > 2) {
      for (int k = 0; k < block->threads; ++k)
        if (!block->lanes[k].done) block->current = &block->lanes[k];
      fail("threads wait for each other: not all reach a barrier, or not all lanes of a mask its operation");
    }
    if (moved) idle = 0;
  }
}

struct Room {
  Lane* lanes = new Lane[MAX_THREADS];
  char* stacks = static_cast<char*>(mmap(nullptr, STACK * MAX_THREADS, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  char* dynamic = static_cast<char*>(std::aligned_alloc(64, 256 << 10));
  ~Room() {
    delete[] lanes;
    munmap(stacks, STACK * MAX_THREADS);
    std::free(dynamic);
  }
};

template <class... A, size_t... I>
void call(void (*kernel)(A...), void** parameters, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_reference_t<A>*>(parameters[I])...);
}
template <class... A>
void call(void (*kernel)(A...), void** parameters) {
  call(kernel, parameters, std::index_sequence_for<A...>());
}

// Runs the blocks of a grid: each on a separate thread if they wait for each other, or else a few at a time.
inline void launch(void (*call)(void**), void** parameters, unsigned blocks, unsigned threads, unsigned together) {
  std::atomic<unsigned> next{0};
  auto work = [&] {
    Room room;
    Block here{};
    here.lanes = room.lanes, here.stacks = room.stacks, here.dynamic = room.dynamic;
    here.block = {threads, 1, 1}, here.grid = {blocks, 1, 1}, here.threads = int(threads);
    here.call = call, here.parameters = parameters;
    block = &here;
    for (unsigned b; (b = next++) < blocks;) {
      here.index = {b, 0, 0};
      here.random = 0x9e3779b97f4a7c15ull * (b + 1) ^ uint64_t(reinterpret_cast<uintptr_t>(parameters));
      run_block();
    }
    block = nullptr;
  };
  if (together > blocks) together = blocks;
  std::vector<std::thread> others;
  for (unsigned k = 1; k < together; ++k) others.emplace_back(work);
  work();
  for (auto& other : others) other.join();
}

}  // namespace emulator

#define threadIdx (emulator::block->current->index)
#define blockIdx (emulator::block->index)
#define blockDim (emulator::block->block)
#define gridDim (emulator::block->grid)

// ---- synchronization, and exchanges --------------------------------------------------------------------------------

inline void __syncthreads() { emulator::barrier(0); }
inline int __syncthreads_count(int predicate) { return int(emulator::barrier(predicate != 0)); }
inline int __syncthreads_or(int predicate) { return emulator::barrier(predicate != 0) != 0; }
inline int __syncthreads_and(int predicate) { return emulator::barrier(predicate == 0) == 0; }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulator::exchange(mask, 0); }
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned) { emulator::yield(); }
inline unsigned __activemask() { return 1u << (threadIdx.x & 31); }

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  int lane = int(threadIdx.x & 31), source = (lane & ~(width - 1)) | (from & (width - 1));
  const uint64_t* values = emulator::exchange(mask, emulator::bits_of(value));
  return mask >> source & 1 ? emulator::value_of<T>(values[source]) : value;
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
  int source = int(threadIdx.x & 31) ^ with;
  const uint64_t* values = emulator::exchange(mask, emulator::bits_of(value));
  return mask >> source & 1 ? emulator::value_of<T>(values[source]) : value;
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  int lane = int(threadIdx.x & 31), source = lane - int(by);
  const uint64_t* values = emulator::exchange(mask, emulator::bits_of(value));
  return source >= (lane & ~(width - 1)) ? emulator::value_of<T>(values[source]) : value;
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  int lane = int(threadIdx.x & 31), source = lane + int(by);
  const uint64_t* values = emulator::exchange(mask, emulator::bits_of(value));
  return source < (lane & ~(width - 1)) + width ? emulator::value_of<T>(values[source]) : value;
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const uint64_t* values = emulator::exchange(mask, predicate != 0);
  unsigned bits = 0;
  for (int k = 0; k < 32; ++k) bits |= unsigned(mask >> k & 1 && values[k]) << k;
  return bits;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  uint64_t mine = emulator::bits_of(value);
  const uint64_t* values = emulator::exchange(mask, mine);
  unsigned bits = 0;
  for (int k = 0; k < 32; ++k) bits |= unsigned(mask >> k & 1 && values[k] == mine) << k;
  return bits;
}
template <class T>
T __reduce_add_sync(unsigned mask, T value) {
  const uint64_t* values = emulator::exchange(mask, emulator::bits_of(value));
  T sum = 0;
  for (int k = 0; k < 32; ++k)
    if (mask >> k & 1) sum += emulator::value_of<T>(values[k]);
  return sum;
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  const uint64_t* values = emulator::exchange(mask, value);
  unsigned all = 0;
  for (int k = 0; k < 32; ++k)
    if (mask >> k & 1) all |= unsigned(values[k]);
  return all;
}

// ---- bits and memory -----------------------------------------------------------------------------------------------

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __float_as_int(float x) { return emulator::value_of<int>(emulator::bits_of(x)); }
inline float __int_as_float(int x) { return emulator::value_of<float>(emulator::bits_of(x)); }
inline long long __double_as_longlong(double x) { return emulator::value_of<long long>(emulator::bits_of(x)); }
inline double __longlong_as_double(long long x) { return emulator::value_of<double>(emulator::bits_of(x)); }

template <class T>
T __ldcg(const T* at) {
  emulator::maybe_yield();
  if constexpr (sizeof(T) <= 8) {
    T value;
    __atomic_load(at, &value, __ATOMIC_RELAXED);
    return value;
  } else {
    return *at;
  }
}
template <class T>
T __ldg(const T* at) { return *at; }
template <class T>
T __ldcs(const T* at) { return *at; }

namespace emulator {
template <class T, class F>
T update(T* at, F changed) {
  maybe_yield();
  T old, now;
  __atomic_load(at, &old, __ATOMIC_RELAXED);
  do {
    now = changed(old);
  } while (!__atomic_compare_exchange(at, &old, &now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return old;
}
template <class T>
struct Same { typedef T type; };
template <class T>
using same = typename Same<T>::type;
}  // namespace emulator

template <class T>
T atomicAdd(T* at, emulator::same<T> value) { return emulator::update(at, [&](T old) { return T(old + value); }); }
template <class T>
T atomicSub(T* at, emulator::same<T> value) { return emulator::update(at, [&](T old) { return T(old - value); }); }
template <class T>
T atomicMin(T* at, emulator::same<T> value) { return emulator::update(at, [&](T old) { return value < old ? value : old; }); }
template <class T>
T atomicMax(T* at, emulator::same<T> value) { return emulator::update(at, [&](T old) { return old < value ? value : old; }); }
template <class T>
T atomicAnd(T* at, emulator::same<T> value) { return emulator::update(at, [&](T old) { return T(old & value); }); }
template <class T>
T atomicOr(T* at, emulator::same<T> value) { return emulator::update(at, [&](T old) { return T(old | value); }); }
template <class T>
T atomicXor(T* at, emulator::same<T> value) { return emulator::update(at, [&](T old) { return T(old ^ value); }); }
template <class T>
T atomicExch(T* at, emulator::same<T> value) { return emulator::update(at, [&](T) { return value; }); }
template <class T>
T atomicCAS(T* at, emulator::same<T> expected, emulator::same<T> value) {
  return emulator::update(at, [&](T old) { return old == expected ? value : old; });
}

template <class T>
T min(T a, T b) { return b < a ? b : a; }
template <class T>
T max(T a, T b) { return a < b ? b : a; }
