"""Compilation of functors to LTO-IR for GPUs, by whichever of two compilers is installed. It needs no GPU."""

from .compilers import (
    CHOICE,
    COMPILERS,
    FunctorCompiler,
    chosen_compiler,
    compiler_version,
    functor_compiler,
    installed_compilers,
)

__all__ = [
    "CHOICE", "COMPILERS", "FunctorCompiler", "chosen_compiler", "compiler_version", "functor_compiler",
    "installed_compilers",
]  # fmt: skip
