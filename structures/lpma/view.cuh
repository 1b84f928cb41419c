// The view of LPMA: that of packed memory arrays, with leaves in levels.
#pragma once
#define LEVELED 1
#include "structures/packed/view.cuh"
