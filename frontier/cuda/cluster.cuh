// A cluster: a few blocks on neighboring multiprocessors, which synchronize faster than a grid.
// Devices without clusters (before compute capability 9) run a single block instead.
#pragma once
#include "frontier/cuda/types.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

constexpr int CLUSTER = 8;  // blocks; cuda.py launches as many
#define IN_CLUSTERS __cluster_dims__(CLUSTER, 1, 1)

// Waits until all threads of the cluster have arrived. Their earlier writes are visible afterwards.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

#else

constexpr int CLUSTER = 1;
#define IN_CLUSTERS

__device__ __forceinline__ void cluster_barrier() { __syncthreads(); }

#endif
