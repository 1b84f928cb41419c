"""The interface of compilers of functors for GPUs, and the choice between them.

Each of the two is in a package that nothing else imports. numba-cuda is in maintenance, numba-cuda-mlir its successor.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import FunctionType
from typing import Protocol

import numpy as np

from frontier.runtime.compile.disk_cache import PROJECT_ROOT, text_fingerprint
from frontier.runtime.compile.toolchain import import_toolchain

from ..freeze import Target

CHOICE = "DYNFRONTIER_FUNCTOR_COMPILER"
"""The environment variable that names one."""

COMPILERS = {"numba-cuda": "numba_cuda", "numba-cuda-mlir": "numba_cuda_mlir"}
"""Packages next to this module by the names of the distributions that they use: the first that is installed is used."""


class FunctorCompiler(Target, Protocol):
    """A compiler of functors for GPUs of one compute capability.

    `freeze` asks which functions it knows itself, and has it prepare called ones. Inside functors it provides arrays of
    any dtype, matrices with their shape, the atomics of `frontier`, and `bounds.length_of`.
    """

    def compile(
        self, function: FunctionType, symbol: str, result: np.dtype | None, parameters: tuple[tuple[np.dtype, int], ...]
    ) -> bytes:
        """Compile a frozen function of these `parameters` to LTO-IR with the C function `symbol`.

        It returns a `result`, or nothing for None. In C an array is a pointer, a matrix a pointer, rows and columns
        (int64). `errors.explain` understands the compiler's own errors.
        """


def chosen_compiler() -> str:
    """The compiler to use. ValueError if `CHOICE` names none of `COMPILERS`, ImportError if it is missing."""
    name = os.environ.get(CHOICE, "")
    if name:
        if name not in COMPILERS:
            raise ValueError(f"{CHOICE} must be {' or '.join(COMPILERS)}, not {name!r}")
        if _version(name) is None:
            raise ImportError(f"{CHOICE} names {name}, which is not installed")
        return name
    for name in installed_compilers():
        return name
    raise ImportError(
        f"functors for GPUs are compiled by {' or '.join(COMPILERS)}, and neither is installed: "
        "the extras cuda12 and cuda13 of dynfrontier install one"
    )


def installed_compilers() -> list[str]:
    """The compilers that there are, the first choice first."""
    return [name for name in COMPILERS if _version(name) is not None]


@functools.cache
def functor_compiler(name: str, capability: tuple[int, int]) -> FunctorCompiler:
    """The named compiler for a capability such as ``(9, 0)``. ImportError if it does not work with this NumPy."""
    try:
        import_toolchain()
        with _dropped_names():
            module = importlib.import_module(f".{COMPILERS[name]}", __package__)
    except AttributeError as error:  # of a module that lacks what another asks for
        versions = f"{name} {_version(name)} does not work with NumPy {np.__version__}"
        raise ImportError(f"{versions} ({error}): install an older NumPy, or a {name} that knows this one") from error
    return module.Compiler(capability)


DROPPED = {"row_stack": np.vstack}
"""Replacements of functions that numba-cuda 0.30 uses and NumPy 2.5 lacks, by name."""


@contextlib.contextmanager
def _dropped_names() -> Iterator[None]:
    """NumPy with the functions it dropped, for as long as a compiler that asks for them is imported."""
    lacking = {name: function for name, function in DROPPED.items() if not hasattr(np, name)}
    vars(np).update(lacking)
    try:
        yield
    finally:
        for name in lacking:
            vars(np).pop(name, None)  # another thread may have been faster


@functools.cache
def compiler_version(name: str) -> str:
    """The version of the code that this compiler makes: its name, its version, and our changes to it."""
    return f"{name} {_version(name)} {text_fingerprint(*source_files(name))}"


def source_files(name: str) -> list[str]:
    """Files that affect how this compiler compiles functors, though functors do not name them: paths from the root."""
    here = Path(__file__).parent
    own = [*here.glob("*.py"), *(here / COMPILERS[name]).glob("*.py")]
    return [*OF_ALL, *sorted(path.relative_to(PROJECT_ROOT).as_posix() for path in own)]


OF_ALL = (
    "frontier/functor/intrinsics/atomics.py",
    *(
        f"frontier/functor/{name}.py"
        for name in ("bounds", "check", "checking", "compile", "freeze", "graphs", "loops", "rewrite", "source")
    ),
    "frontier/functor/intrinsics/neighbors.py",
)
"""The part of `source_files` that is not in this package."""


@functools.cache
def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
