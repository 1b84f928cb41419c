"""Compilation: kernels for CPUs and GPUs, identities of functions, and caches of compiled code."""
