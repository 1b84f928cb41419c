"""Launches: arguments of kernels, recorded launches, and CUDA graphs of them."""
