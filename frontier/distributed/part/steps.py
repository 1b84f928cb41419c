"""What the program has workers do: each function is called on all of them at the same time.

Those about a graph return what is asked for, and what the program is to know of the graph from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from frontier import operators
from frontier.interchange import data_frame

from ..base import FACTS
from ..engines import Host
from .part import GraphPart
from .results import keep, keep_rows
from .tables import edge_columns_of


def _part(host: Host, key: int) -> GraphPart:
    """The part that a call of all workers is for."""
    part = host.objects[key]
    part.synchronize()
    return part


def make(host: Host, key: int, structure: Any, settings: dict[str, Any]) -> SimpleNamespace:
    host.objects[key] = part = GraphPart(host.comm, structure, **settings)
    return _facts(part)


def load(host: Host, key: int, path: str) -> SimpleNamespace:
    host.objects[key] = part = GraphPart.load(host.comm, path)
    return _facts(part)


def _facts(part: GraphPart) -> SimpleNamespace:
    """What the program knows of the graph without asking."""
    return SimpleNamespace(**{name: getattr(part, name) for name in FACTS}, has_edge_data=part.edge_data is not None)


def facts_of(host: Host, key: int) -> SimpleNamespace:
    return _facts(host.objects[key])


def run(host: Host, key: int, kept: int | None, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    part = _part(host, key)
    return _only_first(host, keep(host, kept, part._run_over_parts(function, (part, *args), kwargs))), _facts(part)


def on_part(host: Host, key: int, method: str, args: tuple) -> Any:
    part = _part(host, key)
    return _only_first(host, _to_host(part, getattr(part, method)(*args))), _facts(part)


def _only_first(host: Host, result: Any) -> Any:
    """What is the same on all workers goes back from one."""
    return result if host.comm.rank == 0 else None


def take_snapshot(host: Host, key: int, name: int) -> Any:
    part = _part(host, key)
    made = part.snapshot()
    known = next((held for held, each in host.objects.items() if each is made), name)
    host.objects[known] = made
    return known, _facts(part)


def copy(host: Host, key: int, name: int) -> Any:
    part = _part(host, key)
    host.objects[name] = part.copy()
    return name, _facts(part)


def make_object(host: Host, key: int, name: int, cls: type, args: tuple, kwargs: dict[str, Any]) -> Any:
    part = _part(host, key)
    host.objects[name] = cls(part, *args, **kwargs)
    return None, _facts(part)


def ask_object(
    host: Host, key: int, kept: int | None, name: int, attribute: str, args: Any = None, kwargs: Any = None
) -> Any:  # fmt: skip
    part = _part(host, key)
    value = getattr(host.objects[name], attribute)
    if args is not None:
        value = value(*args, **kwargs)
    return _only_first(host, keep(host, kept, _to_host(part, value))), _facts(part)


def insert_edges(host: Host, key: int, arrays: tuple, options: dict[str, Any]) -> Any:
    part = _part(host, key)
    return part.insert_edges(*arrays, **options), _facts(part)


def delete_edges(host: Host, key: int, arrays: tuple, options: dict[str, Any]) -> Any:
    part = _part(host, key)
    return part.delete_edges(*arrays), _facts(part)


def apply(host: Host, key: int, arrays: tuple, options: dict[str, Any]) -> Any:
    part = _part(host, key)
    found = part.apply(options.pop("ops"), *arrays, **options)
    return replace(found, **{name: _to_host(part, value) for name, value in vars(found).items()}), _facts(part)


def intersect(host: Host, key: int, arrays: tuple, options: dict[str, Any]) -> Any:
    part = _part(host, key)
    return _to_host(part, operators.intersect(part, *arrays)), _facts(part)


def has_edges(host: Host, key: int, arrays: tuple, options: dict[str, Any]) -> Any:
    part = _part(host, key)
    return _to_host(part, part.has_edges(*arrays)), _facts(part)


def edge_weights(host: Host, key: int, arrays: tuple, options: dict[str, Any]) -> Any:
    part = _part(host, key)
    return _to_host(part, part.edge_weights(*arrays)), _facts(part)


def edge_values(host: Host, key: int, arrays: tuple, options: dict[str, Any]) -> Any:
    part = _part(host, key)
    return _to_host(part, part.edge_values(options["name"], *arrays)), _facts(part)


def edge_columns(host: Host, key: int) -> Any:
    part = _part(host, key)
    return edge_columns_of(part), _facts(part)


def keep_edges(host: Host, key: int, kept: int) -> Any:
    part = _part(host, key)
    return keep_rows(host, kept, lambda: data_frame(edge_columns_of(part), "pandas")), _facts(part)


def check(host: Host, key: int, arrays: tuple) -> Any:
    """Raise what is wrong with a whole batch, if it is about ids or weights."""
    part = _part(host, key)
    if arrays:
        part.local.store.make_arcs(*arrays, directed=True, weighted=True).check()
    return None, _facts(part)


def _to_host(part: GraphPart, value: Any) -> Any:
    """Arrays as NumPy's, which any process can read."""
    if isinstance(value, tuple):
        return tuple(_to_host(part, each) for each in value)
    return part.device.to_host(value) if isinstance(value, part.xp.ndarray) else value


def drop(host: Host, key: int) -> None:
    host.objects.pop(key, None)
