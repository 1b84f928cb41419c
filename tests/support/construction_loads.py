"""Counts what batches load or compile after a graph and an analytic have been constructed.

A separate program, since kernels that other tests have loaded would not be seen.
``python tests/support/construction_loads.py STRUCTURE DEVICE ANALYTIC FORM`` writes the compilations of construction
and of batches by kind, and the names of the kernels that batches loaded.
"""

from __future__ import annotations

import json
import sys
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
from algorithms import find_analytic
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


def main(structure: str, device: str, name: str, form: str) -> dict[str, Any]:
    """Construct, and apply batches of all sizes, each followed by a deletion.

    Parameters
    ----------
    name : str
        The form of an analytic, ``"none"``, or ``"window"`` for a window of which batches leave by themselves.
    """
    scale, most = SIZES["emulated" if emulator.wanted() else device]
    edges = fr.io.rmat(scale, 8, seed=1)
    resolved = fr.advanced.resolve_device(device)
    src, dst = resolved.xp.asarray(edges.src), resolved.xp.asarray(edges.dst)
    weights = resolved.xp.asarray((1 + edges.src % 7).astype(np.float32))
    at = resolved.xp.asarray(np.arange(len(edges)))
    graph = fr.structures()[structure](edges.num_vertices, device=device, **FORMS[form])
    window = fr.SlidingWindow(graph, span=len(edges) // 3) if name == "window" else None
    followed = [(known, known.maintain(graph, **known.settings(graph))) for known in chosen(name, graph)]
    resolved.synchronize()
    before = Counter(progress.compilations)

    def insert(part: slice) -> None:
        given = (src[part], dst[part]) + ((weights[part],) if graph.weight_dtype is not None else ())
        if window is not None:
            window.push(*given, time=at[part])
        else:
            graph.insert_edges(*given, **({"time": at[part]} if graph.time_unit is not None else {}))

    def delete(part: slice) -> None:
        graph.delete_edges(src[part], dst[part])

    with loads() as found:
        for number, part in enumerate(batches(len(edges), most)):
            some = slice(part.start, part.start + 1 if number % 2 else part.start + (part.stop - part.start) * 3 // 4)
            for update, records in ((insert, part), (delete, some)):
                update(records)
                for known, maintained in followed:
                    known.read(maintained)
    return {"construction": before, "batches": progress.compilations - before, "loads": sorted(set(found))}


def chosen(name: str, graph: fr.DynamicGraph) -> list[Any]:
    """The analytic that is meant, if it can follow the graph."""
    if name in ("none", "window"):
        return []
    known = find_analytic(name)
    return [] if known.obstacle(graph) else [known]


if __name__ == "__main__":
    json.dump(main(*sys.argv[1:5]), sys.stdout, indent=1)
