"""The list of kernels that incremental analytics need on GPUs: ``python -m dynfrontier.prebuilt.requests``.

It is shipped in the package (``algorithms/requests.json``): constructors compile its kernels, several at a time. A
`Rehearsal` makes it without a GPU, for graphs of 32-bit ids, without weights, with weights of float32, and, if
undirected, with times.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import multiprocessing
import os
import time
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from frontier.core.structures import structures
from frontier.functor import interpreted
from frontier.operators import layout
from frontier.operators.dispatch.requests import UnlistedError, request_text

from .rehearsal import Rehearsal, RehearsingDevice

ANALYTICS, REPERTOIRE, REQUESTS = "algorithms", "algorithms.repertoire", "algorithms.requests"
FORMS: dict[str, dict[str, Any]] = {"none": {}, "float32": {"weight_dtype": "float32"}, "times": {"time_unit": "ns"}}
DIRECTIONS = {"undirected": (False, False), "directed": (True, False), "in_edges": (True, True)}


class Kind(NamedTuple):
    """An analytic, and graphs of one kind."""

    analytic: str
    structure: str
    form: str
    directions: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the list."""
    line = argparse.ArgumentParser(prog="python -m dynfrontier.prebuilt.requests", description=__doc__.splitlines()[0])
    line.add_argument("--processes", type=int, default=os.cpu_count(), help="by default as many as there are cores")
    line.add_argument("--out", type=Path, help="a file, by default that of the package")
    for name, choice in (("structures", structures()), ("forms", FORMS), ("directions", DIRECTIONS)):
        line.add_argument(f"--{name}", default=",".join(choice), help="separated by commas (default: all)")
    options = line.parse_args(arguments)
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # of each process
    kinds = [
        Kind(analytic, structure, form, directions)
        for structure in options.structures.split(",")
        for form in options.forms.split(",")
        if form == "none" or structures()[structure].can_store_weights
        for directions in options.directions.split(",")
        if form != "times" or directions == "undirected"
        for analytic in maintained()
    ]
    begin = time.perf_counter()
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("spawn")) as pool:
        found = merged(part for part in pool.map(rehearse, kinds) if part is not None)
    path = options.out or importlib.import_module(REQUESTS).LIST
    path.write_text(text_of(found))
    print(f"{path}: {len(found['requests'])} requests for {len(found['of'])} kinds, {path.stat().st_size / 1e3:.0f} kB")
    print(f"{time.perf_counter() - begin:.0f} s")
    return 0


def maintained() -> list[str]:
    """The analytics that have an incremental form."""
    return [name for name, known in importlib.import_module(ANALYTICS).analytics().items() if known.incremental]


def rehearse(kind: Kind) -> tuple[str, list[dict[str, Any]]] | None:
    """The key of a kind in the list, and its requests, or None if the analytic has no such graphs."""
    known = importlib.import_module(ANALYTICS).analytics()[kind.analytic]
    directed, in_edges = DIRECTIONS[kind.directions]
    options = {"directed": directed, "in_edges": in_edges, **FORMS[kind.form]}
    graph = structures()[kind.structure](8, device="cpu", **options)
    if known.obstacle(graph):
        return None
    rehearsal = Rehearsal()
    perform = importlib.import_module(REPERTOIRE).perform_incremental
    with warnings.catch_warnings(), interpreted(), rehearsal.watching():
        warnings.simplefilter("ignore")  # of NumPy, which warns where compiled code does not
        for gain in (0.0, math.inf):
            with mock.patch.object(layout, "GAIN", gain):  # with static copies and without: GPUs decide otherwise
                perform(structures()[kind.structure], RehearsingDevice(), kind.analytic, **options)
    texts = []
    for request in rehearsal.requests.values():
        try:
            texts.append(request_text(graph, *request))
        except UnlistedError as error:
            print(f"{kind}: {error}", flush=True)
    return importlib.import_module(REQUESTS).key_of(known.incremental.__name__, graph), texts


def merged(parts: Iterable[tuple[str, list[dict[str, Any]]]]) -> dict[str, Any]:
    """The contents of the list: each request once, and by kind the numbers of its requests."""
    numbers: dict[str, int] = {}
    of = {key: [numbers.setdefault(_line(text), len(numbers)) for text in texts] for key, texts in parts}
    return {"requests": list(numbers), "of": of}


def text_of(found: dict[str, Any]) -> str:
    """The contents as JSON, a request or kind a line."""
    kinds = ",\n".join(f"{json.dumps(key)}: {_line(numbers)}" for key, numbers in found["of"].items())
    return '{"requests": [\n' + ",\n".join(found["requests"]) + '\n], "of": {\n' + kinds + "\n}}\n"


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    raise SystemExit(main())
