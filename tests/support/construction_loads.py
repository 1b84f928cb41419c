"""Counts what batches load or compile after a graph and an analytic have been constructed.

A separate program, since kernels that other tests have loaded would not be seen.
``python tests/support/construction_loads.py STRUCTURE DEVICE ANALYTIC FORM`` writes the seconds of the construction,
the compilations of construction and of batches by kind, and the names of the kernels that batches loaded.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import emulator

if __name__ == "__main__" and emulator.wanted():
    emulator.install()

import numpy as np
from stream_loads import SIZES, loads

import frontier as fr
from algorithms import analytics, find_analytic
from frontier.runtime.compile import progress

GROWTH = 8
FORMS: dict[str, dict[str, Any]] = {
    "none": {}, "float32": {"weight_dtype": "float32"}, "directed": {"directed": True},
    "in_edges": {"directed": True, "in_edges": True}, "times": {"time_unit": "s"},
}  # fmt: skip


def batches(num_records: int, most: int) -> list[slice]:
    """Ranges of records: one, then more and more up to `most`, and again."""
    found, begin, size = [], 0, 1
    while begin < num_records:
        found.append(slice(begin, min(begin + size, num_records)))
        begin += size
        size = 1 if size == most else min(GROWTH * size, most)
    return found


def main(structure: str, device: str, name: str, form: str, scale: int = 0, most: int = 0) -> dict[str, Any]:
    """Construct, and apply batches of all sizes, each followed by a deletion.

    Parameters
    ----------
    name : str
        The form of an analytic, ``"none"``, ``"window"`` for a window of which batches leave by themselves, or
        ``"all"``.
    """
    scale_there, most_there = SIZES["emulated" if emulator.wanted() else device]
    edges = fr.io.rmat(scale or scale_there, 8, seed=1)
    resolved = fr.advanced.resolve_device(device)
    src, dst = resolved.xp.asarray(edges.src), resolved.xp.asarray(edges.dst)
    weights = resolved.xp.asarray((1 + edges.src % 7).astype(np.float32))
    at = resolved.xp.asarray(np.arange(len(edges)))
    resolved.synchronize()
    begin = time.perf_counter()
    graph = fr.structures()[structure](edges.num_vertices, device=device, **FORMS[form])
    middle = time.perf_counter()
    window = fr.SlidingWindow(graph, span=len(edges) // 3) if name == "window" else None
    followed = [(known, known.maintain(graph, **known.settings(graph))) for known in chosen(name, graph)]
    resolved.synchronize()
    end = time.perf_counter()
    before = Counter(progress.compilations)

    def insert(part: slice) -> None:
        given = (src[part], dst[part]) + ((weights[part],) if graph.weight_dtype is not None else ())
        if window is not None:
            window.push(*given, time=at[part])
        else:
            graph.insert_edges(*given, **({"time": at[part]} if graph.time_unit is not None else {}))

    def delete(part: slice) -> None:
        graph.delete_edges(src[part], dst[part])

    times = []
    with loads() as found:
        for number, part in enumerate(batches(len(edges), most or most_there)):
            some = slice(part.start, part.start + 1 if number % 2 else part.start + (part.stop - part.start) * 3 // 4)
            for update, records in ((insert, part), (delete, some)):
                started = time.perf_counter()
                update(records)
                for known, maintained in followed:
                    known.read(maintained)
                resolved.synchronize()
                times.append(round(1e3 * (time.perf_counter() - started), 3))
    return {
        "graph_s": round(middle - begin, 3), "analytics_s": round(end - middle, 3), "construction": before,
        "batches": progress.compilations - before, "median_ms": float(np.median(times)), "worst_ms": max(times),
        "first_ms": times[:2], "loads": sorted(set(found)),
    }  # fmt: skip


def chosen(name: str, graph: fr.DynamicGraph) -> list[Any]:
    """The analytics that are meant, as far as they can follow the graph."""
    if name in ("none", "window"):
        return []
    found = [known for known in analytics().values() if known.incremental] if name == "all" else [find_analytic(name)]
    return [known for known in found if not known.obstacle(graph)]


if __name__ == "__main__":
    json.dump(main(*sys.argv[1:5], *map(int, sys.argv[5:7])), sys.stdout, indent=1)
