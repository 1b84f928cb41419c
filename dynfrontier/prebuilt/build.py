"""Machine code for a wheel: ``python -m dynfrontier.prebuilt sm_80 sm_90``, without a GPU.

The kernels of updates, and the operator kernels of the catalogue's analytics, linked with their functors, are compiled
for first batches and stored where the runtime looks first (`frontier.runtime.compile.prebuilt`). They suit graphs of
32-bit ids, without weights, with weights of float32, and with times, as windows of streams have them. Other graphs
compile their own.
"""

from __future__ import annotations

import argparse
import importlib
import math
import multiprocessing
import os
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from frontier.core.structures import structures
from frontier.distributed.exchange import sending
from frontier.distributed.partition import owners_on_gpu
from frontier.distributed.transport import windows
from frontier.features.mixed import mixed_kernels
from frontier.functor import interpreted
from frontier.operators import layout
from frontier.operators.dispatch.kernels import codes_of
from frontier.runtime import load_kernels, resolve_device
from frontier.runtime.compile.cuda import compile_cubin, toolchain_version
from frontier.runtime.compile.prebuilt import Defines, Entry, shared_group, write_archive
from frontier.runtime.compile.requests import Request

from .rehearsal import Rehearsal, RehearsingDevice

ARCHITECTURES = ("sm_80", "sm_90", "sm_100", "sm_120")
FORMS: dict[str, dict[str, Any]] = {"none": {}, "float32": {"weight_dtype": "float32"}, "times": {"time_unit": "ns"}}
"""The options of graphs with prebuilt code. The first is for structures that can store no weights, too."""
REPERTOIRE = "algorithms.repertoire"
"""The module whose analytics are rehearsed. Structures know no algorithm, so it is imported when this runs."""
PARTS = {"none": ("none",), "first": ("first",), "all": ("first", "others")}
"""The analytics, in groups whose kernels are used together."""


class Job(NamedTuple):
    """Kernels to be compiled, and the LTO-IR of their functors by architecture."""

    name: str
    group: str
    header: str
    defines: Defines
    codes: dict[str, tuple[bytes, ...]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile for the architectures of the command line."""
    line = argparse.ArgumentParser(prog="python -m dynfrontier.prebuilt", description=__doc__.splitlines()[0])
    line.add_argument("architectures", nargs="*", default=ARCHITECTURES, help=f"default: {' '.join(ARCHITECTURES)}")
    line.add_argument("--structures", help="names, separated by commas (default: all)")
    line.add_argument("--analytics", default="all", choices=PARTS, help="first: those that are most used")
    line.add_argument("--processes", type=int, default=os.cpu_count(), help="by default as many as there are cores")
    line.add_argument("--out", type=Path, help="a folder, by default in the package; see DYNFRONTIER_SHIPPED_CODE")
    options = line.parse_args(arguments)
    names = options.structures.split(",") if options.structures else list(structures())
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # of each process
    spawn = multiprocessing.get_context("spawn")  # threads of Numba's do not survive a fork
    begin = time.perf_counter()
    with ProcessPoolExecutor(options.processes, spawn) as pool:
        entries = compile_all(pool, names, options.analytics, options.architectures)
    cuda = int(toolchain_version().split()[1].split(".")[0])
    for arch in options.architectures:
        path = write_archive(arch, entries[arch], options.out, cuda)
        print(f"{path}: {len(entries[arch])} headers, {path.stat().st_size / 1e6:.2f} MB")
    print(f"{time.perf_counter() - begin:.0f} s")
    return 0


def compile_all(
    pool: Executor, names: Sequence[str], chosen: str, architectures: Sequence[str]
) -> dict[str, list[Entry]]:
    """The entries of the archive for each architecture, of graphs of these structures and analytics of `PARTS`."""
    groups: dict[str, set[str]] = defaultdict(set)
    compiled: dict[tuple[str, str], Future[bytes]] = {}
    rehearsed = [
        pool.submit(jobs, name, form, part, tuple(architectures))
        for name in names
        for form in (FORMS if structures()[name].can_store_weights else list(FORMS)[:1])
        for part in PARTS[chosen]
    ]
    for count, done in enumerate(as_completed(rehearsed), 1):
        print(f"{count} of {len(rehearsed)} kinds of graphs and analytics: {len(done.result())} headers", flush=True)
        for job in done.result():
            groups[job.name].add(job.group)
            for arch in architectures:
                if (arch, job.name) not in compiled:
                    compiled[arch, job.name] = pool.submit(
                        compile_cubin, job.header, job.defines, job.codes[arch], arch
                    )  # fmt: skip
    found: dict[str, list[Entry]] = {arch: [] for arch in architectures}
    for (arch, name), code in compiled.items():
        found[arch].append(Entry(name, shared_group(groups[name]), code.result()))
    return found


def jobs(structure: str, form: str, part: str, architectures: Sequence[str]) -> list[Job]:
    """The kernels to compile for graphs of a structure in one of the `FORMS`, and a group of analytics."""
    group = "-".join((structure, form, part))
    found = []
    for name, request in requests(structure, form, part).items():
        codes = {arch: codes_of(request.functors, arch) for arch in architectures}
        found.append(Job(name, group, request.header, request.defines, codes))
    return found


def requests(structure: str, form: str, part: str) -> dict[str, Request]:
    """The kernels of updates of graphs of a structure, and of its analytics' operators, by name."""
    repertoire = importlib.import_module(REPERTOIRE)
    others = repertoire.others(times="time_unit" in FORMS[form])
    chosen = {"none": (), "first": repertoire.FIRST, "others": others}[part]
    rehearsal = Rehearsal()
    for source in sources(structure, form):
        rehearsal.note(Request(*source))
    with warnings.catch_warnings(), interpreted(), rehearsal.watching():
        warnings.simplefilter("ignore")  # of NumPy, which warns where compiled code does not
        for gain in (0.0, math.inf):  # with static copies and without: GPUs decide otherwise
            with mock.patch.object(layout, "GAIN", gain):
                repertoire.perform(structures()[structure], RehearsingDevice(), chosen, **FORMS[form])
    return rehearsal.requests


def sources(structure: str, form: str) -> Iterator[tuple[str, Defines]]:
    """The headers, and their macros, of kernels that are needed for any analytics."""
    device, ids = resolve_device("cpu"), np.dtype(np.int32)
    graph = structures()[structure](8, device=device, vertex_dtype=ids, **FORMS[form])
    for kernels in (*graph._update_kernels(), load_kernels("frontier.core.bitmap", device, {"VID": ids})):
        yield kernels.source
    yield load_kernels("frontier.names", device).source
    for id_type in (ids, np.dtype(np.int64)):  # of mixed batches, of which the second is NumPy's default
        yield mixed_kernels(graph, id_type).source
    for header in (owners_on_gpu.HEADER, sending.HEADER, windows.HEADER):
        yield header, ()
    for number in ("float", "double"):  # products with vectors of these
        defines = (("GATHER", number), ("VID", "int"), ("WEIGHT", "float"))
        yield "frontier/operators/spmv/spmv.cuh", defines
        yield "frontier/operators/spmv/spmv.cuh", (*defines, ("LISTED_HUBS", "1"))  # of distributed graphs
