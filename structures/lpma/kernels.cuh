// CUDA kernels of LPMA: the kernels of packed memory arrays, and its own.
#pragma once
#include "structures/lpma/view.cuh"
#include "structures/packed/kernels.cuh"
#include "structures/lpma/levels.cuh"
#include "structures/lpma/top_down.cuh"
#include "structures/lpma/append.cuh"
