"""Functors compiled by numba-cuda-mlir."""

from numba_cuda_mlir.descriptor import mlir_target

mlir_target.ensure_initialized()  # what the modules here declare comes after what they replace

from .compiler import Compiler  # noqa: E402

__all__ = ["Compiler"]
