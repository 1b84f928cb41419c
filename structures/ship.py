"""Machine code for a wheel: ``python -m structures.ship sm_80 sm_90``.

Kernels that updates of all structures launch are compiled for these architectures, and put where the runtime looks
first (`frontier.runtime.shipped`): for 32-bit ids, without weights and with weights of float32; other graphs compile
theirs. It needs no GPU, and takes some 20 s of a core and 0.5 MB for each architecture.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from frontier.registry import structures
from frontier.runtime.cuda import compile_cubin, toolchain_version
from frontier.runtime.shipped import Defines, write_archive

ARCHITECTURES = ("sm_80", "sm_90", "sm_100", "sm_120")
WEIGHTS = (None, "float32")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile for the architectures of the command line."""
    line = argparse.ArgumentParser(prog="python -m structures.ship", description=__doc__.splitlines()[0])
    line.add_argument("architectures", nargs="*", default=ARCHITECTURES, help=f"default: {' '.join(ARCHITECTURES)}")
    line.add_argument("--structures", help="names, separated by commas; by default all")
    options = line.parse_args(arguments)
    jobs = list(sources(options.structures.split(",") if options.structures else list(structures())))
    toolchain_version()  # imports cuda.core, which two threads must not do at the same time
    with ThreadPoolExecutor() as pool:
        for arch in options.architectures:
            codes = pool.map(lambda job, arch=arch: compile_cubin(*job, (), arch), jobs)
            path = write_archive(arch, [(*job, code) for job, code in zip(jobs, codes, strict=True)])
            print(f"{path}: {len(jobs)} headers, {path.stat().st_size / 1e6:.1f} MB")
    return 0


def sources(names: Sequence[str]) -> Iterator[tuple[str, Defines]]:
    """The headers, and their macros, of the kernels that graphs of these structures compile when they are made."""
    seen = set()
    for name in names:
        structure = structures()[name]
        for weight_dtype in WEIGHTS if structure.can_store_weights else WEIGHTS[:1]:
            graph = structure(8, device="cpu", vertex_dtype=np.int32, weight_dtype=weight_dtype)
            for kernels in graph._update_kernels():
                if kernels.source not in seen:
                    seen.add(kernels.source)
                    yield kernels.source


if __name__ == "__main__":
    raise SystemExit(main())
