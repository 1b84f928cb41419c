"""Machine code from CUDA source, by NVRTC and nvJitLink.

It imports no other module of the project: the processes that compile ahead (`workers`) run this file by itself.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import Any


def machine_code(source: str, root: str, arch: str, functors: tuple[bytes, ...]) -> bytes:
    """Compile CUDA source, with headers below `root`, to a cubin for a target such as ``"sm_90"``, linked with LTO-IR
    of functors."""
    from cuda.core import Linker, LinkerOptions, ObjectCode

    program = program_of(source, root, arch, linked=bool(functors))
    if not functors:
        return bytes(program.compile("cubin").code)
    parts = [program.compile("ltoir"), *(ObjectCode.from_ltoir(functor) for functor in functors)]
    return bytes(Linker(*parts, options=LinkerOptions(arch=arch, link_time_optimization=True)).link("cubin").code)


def program_of(source: str, root: str, arch: str, *, linked: bool) -> Any:
    """Source for NVRTC, `linked` with further code or not."""
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(
        arch=arch,
        std="c++17",
        include_path=[root],
        relocatable_device_code=True if linked else None,
        link_time_optimization=True if linked else None,
        device_as_default_execution_space=True,
    )
    return Program(source, "c++", options)


def serve() -> None:
    """Compile pickles from standard input: ``sys.path``, then arguments of `machine_code`. Each answer is its result,
    or None after an error."""
    requests = sys.stdin.buffer
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # whatever the compilers print must not get between the answers
        sys.path[:] = pickle.load(requests)
        while True:
            try:
                request = pickle.load(requests)
            except EOFError:
                return
            try:
                answer = machine_code(*request)
            except Exception:  # the caller compiles it again, to raise what this raised
                answer = None
            pickle.dump(answer, answers)
            answers.flush()


if __name__ == "__main__":
    serve()
