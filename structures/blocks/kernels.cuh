// CUDA kernels for structures with lists in no order and without gaps. Include it behind the structure's view, which
// must have i64 View::slot_of(VID v, i64 position). Macros: VID, WEIGHT.
#pragma once
#include "structures/blocks/lists.cuh"
#include "structures/blocks/holes.cuh"
#include "structures/blocks/small.cuh"
