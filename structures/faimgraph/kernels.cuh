// CUDA kernels of faimGraph. Macros: VID, WEIGHT, PAGE_BITS.
#pragma once
#include "structures/faimgraph/view.cuh"
#include "structures/faimgraph/lists.cuh"
