// The neighbor iterator of GPMA, which is the one of packed memory arrays, with leaves in the order of their keys.
#pragma once
#define LEVELED 0
#include "structures/packed/view.cuh"
