// The view of LPMA, which is the one of packed memory arrays, with leaves in levels.
#pragma once
#define LEVELED 1
#include "structures/packed/view.cuh"
