"""Temporal random walks, compared with tempest-rw: ``python -m benchmarks walks``.

Four walks from each vertex of a directed RMAT graph with random times: uniform, and with exponential decay. Times of
`temporal_random_walks` include its sort of all arcs; those of tempest-rw, where it is installed, do not include its
own, which takes place when edges are added and is a row of its own. Walks that fade are as long as waits allow: rates
are in steps.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms import temporal_random_walks

from .context import choose_structures
from .graphs import timed_arcs
from .results import FOLDER, Results, describe_run
from .timing import measure_each

SEED = 1
WALKS = 4  # from each vertex
LENGTH = 19  # edges
HALF_LIVES = 1000  # in the time of the graph


def main(arguments: Sequence[str]) -> int:
    """Measure; always 0."""
    line = argparse.ArgumentParser(prog="python -m benchmarks walks", description=__doc__.splitlines()[0])
    line.add_argument("--device", default="auto", choices=["auto", "cpu", "gpu"])
    line.add_argument("--structures", default="csr,slab", help="names, separated by commas")
    line.add_argument("--scale", type=int, default=16, help="of the RMAT graph, which has 16 edges to a vertex")
    line.add_argument("--repeat", type=int, default=5, help="timed calls")
    line.add_argument("--out", type=Path, default=FOLDER, help="folder of the results file")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    src, dst, times, num_vertices = timed_arcs(options.scale, 2**30, SEED)
    results = Results("walks", device.kind, "full", header=describe_run(device, scale=options.scale, edges=src.size))

    def add(name: str, method: str, steps: int, samples: Any) -> None:
        rate = steps / samples.median / 1e6
        results.add(name=name, method=method, steps=steps, m_steps_per_s=rate, **samples.numbers())
        print(f"{name:10} {method:8} {1e3 * samples.median:9.1f} ms, {steps:,} steps, {rate:.1f} M/s", flush=True)

    starts = np.repeat(np.union1d(src, dst), WALKS)
    fading = {"uniform": {}, "decay": {"half_life": 2**30 // HALF_LIVES}}
    for name, kind in choose_structures(options.structures.split(",")).items():
        graph = kind.from_edges(src, dst, num_vertices=num_vertices, time=times, directed=True, device=device)
        asked = device.xp.asarray(starts)
        for method, given in fading.items():
            call = partial(temporal_random_walks, graph, asked, LENGTH, **given)
            samples, found = measure_each(device, [call] * (options.repeat + 1), warm_up=1)
            add(name, method, int(found.steps.sum()), samples)
    for method, samples, steps in tempest(device, src, dst, times, options.repeat):
        add("tempest", method, steps, samples)
    print(f"written to {results.save(options.out)}")
    return 0


def tempest(device: fr.advanced.Device, src: Any, dst: Any, times: Any, repeat: int) -> list[tuple[str, Any, int]]:
    """Method, times and steps of tempest-rw; nothing where it is not installed, or cannot be loaded."""
    try:
        from tempest import Tempest
    except ImportError as error:
        print(f"tempest-rw is not measured: {error}")
        return []
    kept: list[Any] = []

    def build() -> None:
        kept[:] = [Tempest(True, device.is_gpu, enable_weight_computation=True, timescale_bound=float(HALF_LIVES))]
        kept[0].add_multiple_edges(src, dst, times)

    found = [("build", measure_each(device, [build] * 2, warm_up=1)[0], src.size)]
    for method, bias in {"uniform": "Uniform", "decay": "ExponentialWeight"}.items():
        call: Callable[[], Any] = partial(
            kept[0].get_random_walks_and_times_for_all_nodes, LENGTH + 1, bias, WALKS, walk_direction="Forward_In_Time"
        )
        samples, walks = measure_each(device, [call] * (repeat + 1), warm_up=1)
        found.append((method, samples, int(walks[2].sum()) - walks[2].size))
    return found
