// The neighbor iterator of GPMA: that of packed memory arrays, whose leaves lie in the order of their keys.
#pragma once
#define LEVELED 0
#include "structures/packed/view.cuh"
