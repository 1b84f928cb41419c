"""Functors compiled by numba-cuda-mlir."""

from numba_cuda_mlir.descriptor import mlir_target

mlir_target.ensure_initialized()  # declarations of these modules come after the ones they replace

from .compiler import Compiler  # noqa: E402

__all__ = ["Compiler"]
