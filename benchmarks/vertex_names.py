"""Ids for the names of vertices: ``python -m benchmarks names``.

The ends of an R-MAT graph's edges, named by random integers of 64 bits, come in batches, with the names on the host,
and on a GPU. *new*: from an empty table, with its growth. *known*: all of them once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run

from .results import Results, command_line
from .timing import measure_each

SEED = 1


def main(arguments: Sequence[str]) -> int:
    """Measure. Returns 0."""
    line = command_line("names", __doc__)
    line.add_argument("--scale", type=int, default=20, help="of the RMAT graph, which has 16 edges to a vertex")
    line.add_argument("--batches", default="12,16,20", help="base-2 logarithms of the edges of a batch, with commas")
    line.add_argument("--repeat", type=int, default=3, help="timed runs of each form")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    edges = fr.io.rmat(scale=options.scale, edge_factor=16, seed=SEED)
    name_of = np.random.default_rng(SEED).integers(-(2**63), 2**63 - 1, edges.num_vertices)
    ends = name_of[edges.src], name_of[edges.dst]
    results = Results("names", device.kind, "full", header=describe_run(device, scale=options.scale))
    for place in dict.fromkeys((fr.advanced.resolve_device("cpu"), device)):
        src, dst = map(place.xp.asarray, ends)
        for bits in map(int, options.batches.split(",")):
            measure(results, device, place, src, dst, 1 << bits, options.repeat)
    print(f"written to {results.save(options.out)}")
    return 0


def measure(
    results: Results, device: fr.advanced.Device, place: fr.advanced.Device, src: Any, dst: Any, size: int, repeat: int
) -> None:
    """The ids of all ends, in batches of `size` edges, new and known."""

    def give(names: fr.VertexNames) -> fr.VertexNames:
        for begin in range(0, src.size, size):
            names.ids_of_edges(src[begin : begin + size], dst[begin : begin + size])
        return names

    new, names = measure_each(device, [lambda: give(fr.VertexNames(device=place))] * (repeat + 1), warm_up=1)
    known, _ = measure_each(device, [partial(give, names)] * repeat)
    for what, samples in (("new", new), ("known", known)):
        rate = 2 * src.size / samples.median / 1e6
        results.add(place=place.kind, batch=size, what=what, names=len(names), m_names_per_s=rate, **samples.numbers())
        each = 1e6 * samples.median / -(-src.size // size)
        print(f"{place.kind} {size:9,} edges a batch, {what:5}: {each:9.0f} us, {rate:7.1f} M names/s", flush=True)
