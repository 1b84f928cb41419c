"""The functions that the program runs on all workers at the same time.

A function of a graph is a `step`: it also returns the counts of the graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from frontier import operators
from frontier.features.mixed import MixedResult
from frontier.interchange import data_frame
from frontier.interchange.common import edge_columns as columns_of

from ..base import COUNTS, FACTS
from ..engines import Host
from .part import GraphPart
from .results import keep, keep_rows


def step(function: Callable) -> Callable:
    """Turn a function of the worker's partition into one of the graph's key, which also returns the graph's counts."""

    @functools.wraps(function)
    def call(host: Host, key: int, *args: Any) -> tuple[Any, SimpleNamespace]:
        part = host.objects[key]
        part.synchronize()
        return function(host, part, *args), _counts(part)

    return call


def make(host: Host, key: int, structure: Any, settings: dict[str, Any]) -> tuple[SimpleNamespace, SimpleNamespace]:
    return _made(host, key, GraphPart(host.comm, structure, **settings))


def load(host: Host, key: int, path: str) -> tuple[SimpleNamespace, SimpleNamespace]:
    return _made(host, key, GraphPart.load(host.comm, path))


def _made(host: Host, key: int, part: GraphPart) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Store a new partition, and return the properties and counts of the graph, which the program caches."""
    host.objects[key] = part
    facts = SimpleNamespace(**{name: getattr(part, name) for name in FACTS}, has_edge_data=part.edge_data is not None)
    return facts, _counts(part)


def counts_of(host: Host, key: int) -> SimpleNamespace:
    return _counts(host.objects[key])


def _counts(part: GraphPart) -> SimpleNamespace:
    return SimpleNamespace(**dict(zip(COUNTS, attrgetter(*COUNTS)(part), strict=True)))


def drop(host: Host, key: int) -> None:
    host.objects.pop(key, None)


@step
def run(host: Host, part: GraphPart, kept: int | None, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    return _only_first(host, keep(host, kept, part._run_over_parts(function, (part, *args), kwargs)))


@step
def on_part(host: Host, part: GraphPart, method: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    return _only_first(host, _to_host(part, getattr(part, method)(*args, **kwargs)))


@step
def on_share(host: Host, part: GraphPart, method: str | Callable, values: dict[str, Any]) -> Any:
    """Call a method or function of the partition with this worker's share of a batch."""
    if isinstance(method, str):
        return _to_host(part, getattr(part, method)(**values))
    return _to_host(part, method(part, **values))


def intersect(part: GraphPart, src: Any, dst: Any) -> Any:
    return operators.intersect(part, src, dst)


@step
def check(host: Host, part: GraphPart, arrays: tuple) -> None:
    """Raise errors in the ids or weights of a whole batch."""
    if arrays:
        part.local.store.make_arcs(*arrays, directed=True, weighted=True).check()


@step
def take_snapshot(host: Host, part: GraphPart, name: int) -> int:
    made = part.snapshot()
    known = next((held for held, each in host.objects.items() if each is made), name)
    host.objects[known] = made
    return known


@step
def copy(host: Host, part: GraphPart, name: int) -> int:
    host.objects[name] = part.copy()
    return name


@step
def make_object(host: Host, part: GraphPart, name: int, cls: type, args: tuple, kwargs: dict[str, Any]) -> None:
    host.objects[name] = cls(part, *args, **kwargs)


@step
def ask_object(
    host: Host, part: GraphPart, kept: int | None, name: int, attribute: str, args: Any = None, kwargs: Any = None
) -> Any:  # fmt: skip
    value = getattr(host.objects[name], attribute)
    value = value if args is None else value(*args, **kwargs)
    return _only_first(host, keep(host, kept, _to_host(part, value)))


@step
def edge_columns(host: Host, part: GraphPart) -> Any:
    return _edge_columns(part)


@step
def keep_edges(host: Host, part: GraphPart, kept: int) -> Any:
    return keep_rows(host, kept, lambda: data_frame(_edge_columns(part), "pandas"))


def _edge_columns(part: GraphPart) -> dict[str, Any]:
    """The edges that leave a partition's vertices, as sorted columns on the host, with undirected ones once."""
    columns = columns_of(part.local)
    if not part.directed:
        once = part.xp.flatnonzero(columns["src"] < columns["dst"])
        columns = {name: column[once] for name, column in columns.items()}
    return {name: part.device.to_host(column) for name, column in columns.items()}


def _only_first(host: Host, result: Any) -> Any:
    """Return the result of the first worker. It is the same on all."""
    return result if host.comm.rank == 0 else None


def _to_host(part: GraphPart, value: Any) -> Any:
    """Return arrays as NumPy's, which any process can read."""
    if isinstance(value, tuple):
        return tuple(_to_host(part, each) for each in value)
    if isinstance(value, MixedResult):
        return replace(value, **{name: _to_host(part, each) for name, each in vars(value).items()})
    return part.device.to_host(value) if isinstance(value, part.xp.ndarray) else value
