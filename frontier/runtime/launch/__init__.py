"""Launches: arguments of kernels, captured launches, and CUDA graphs of them."""
