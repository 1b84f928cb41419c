"""The kernels that incremental analytics need on a GPU: compiled, several at a time, while they are constructed.

``python -m dynfrontier.prebuilt.requests`` writes the list, from `repertoire`. Run it after a change of the operators
that analytics call, or of their types. Kernels that are not on it are compiled when they are first used.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import frontier as fr

LIST = Path(__file__).with_name("requests.json")


def requests_of(name: str, graph: fr.Graph) -> list[Mapping[str, Any]]:
    """The kernels that an incremental analytic needs on a graph."""
    found = _listed()
    return [found["requests"][number] for number in found["of"].get(key_of(name, graph), ())]


def key_of(name: str, graph: fr.Graph) -> str:
    """The properties that determine which operators an analytic uses."""
    weights = "none" if graph.weight_dtype is None else graph.weight_dtype.name
    directions = "undirected" if not graph.directed else "in_edges" if graph.has_in_edges else "directed"
    times = "" if graph.time_unit is None else " times"
    return f"{name} {graph.name} {graph.vertex_dtype.name} {weights} {directions}{times}"


@functools.cache
def _listed() -> dict[str, Any]:
    return json.loads(LIST.read_text()) if LIST.exists() else {"requests": [], "of": {}}
