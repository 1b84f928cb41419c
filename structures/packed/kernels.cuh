// CUDA kernels of packed memory arrays, in the order in which an update runs them. Macros: VID, WEIGHT, LEVELED.
#pragma once
#include "structures/packed/locate.cuh"
#include "structures/packed/plan.cuh"
#include "structures/packed/move.cuh"
#include "structures/packed/erase.cuh"
#include "structures/packed/small.cuh"
#include "structures/packed/rebuild.cuh"
#include "structures/packed/sums.cuh"
