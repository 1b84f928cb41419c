"""Compilation ahead: a second process compiles a part of what a job needs, while the first compiles the rest.

Numba compiles in one thread of a process at a time, and the machine code gets from one to another by the cache on disk;
what one compiles, the other waits for (`frontier.runtime.compile.claims`). The first starts with updates of the graph,
so the second starts with what analytics compute from scratch. It needs none of the job's data: its graph is made of the
same types.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np

import frontier as fr
from algorithms import find_analytic

from .counting import AnalyticCount, Counting

SCALE, RECORDS = 13, 2**13
"""Of the graph of the second process: so large that all cores are used, by analytics from scratch at least."""


@contextlib.contextmanager
def compiling_ahead(graph: fr.DynamicGraph, counting: Counting) -> Iterator[None]:
    """Have another process compile, once this one compiles anything within the ``with`` block; it ends with the block.

    Only for graphs on CPUs, where several threads may be used.
    """
    if graph.device.is_gpu or numba.get_num_threads() < 2 or not sys.executable:
        yield
        return
    started: list[subprocess.Popen] = []

    def start(name: str) -> None:
        if not started:
            started.append(_start(graph, counting))

    try:
        with fr.advanced.on_compile(start):
            yield
    finally:
        for process in started:
            process.kill()  # it writes its files whole or not at all
            process.wait()


def _start(graph: fr.DynamicGraph, counting: Counting) -> subprocess.Popen:
    kind = {
        "structure": graph.name, "vertex_dtype": graph.vertex_dtype.name, "time_unit": graph.time_unit,
        "analytic": counting.analytic.name if isinstance(counting, AnalyticCount) else None,
    }  # fmt: skip
    # The search path is this process's, so that the packages are; and Ctrl-C in a terminal does not reach it.
    command = f"import sys; sys.path[:] = {sys.path!r}; from dynfrontier.ahead import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", command, json.dumps(kind)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def main() -> None:
    """Compile what ``argv[1]`` asks for."""
    compile_ahead(**json.loads(sys.argv[1]))


def compile_ahead(structure: str, vertex_dtype: str, time_unit: str | None, analytic: str | None) -> None:
    """Run what the job of such a graph and analytic runs last, first: from scratch, then deletions."""
    edges = fr.io.rmat(SCALE, RECORDS / 2**SCALE)
    graph = fr.structures()[structure](
        edges.num_vertices, device="cpu", vertex_dtype=np.dtype(vertex_dtype), time_unit=time_unit
    )  # fmt: skip
    times: dict[str, Any] = {} if time_unit is None else {"time": np.arange(len(edges))}
    graph.insert_edges(edges.src, edges.dst, **times)
    if analytic is not None:
        known = find_analytic(analytic)
        known.compute(graph, **AnalyticCount.from_scratch(known))
        if "layout" in known.accepted:
            known.compute(graph, **known.settings() | {"layout": "native"})
    for part in (slice(64), slice(64, len(edges) // 2)):
        graph.delete_edges(edges.src[part], edges.dst[part])
