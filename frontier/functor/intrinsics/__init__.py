"""The functions that functors may call: atomics, random numbers and neighbor lists."""
