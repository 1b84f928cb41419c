"""Tables of structures, algorithms and devices, from the registry, for the terminal and the documentation."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from typing import Any

import frontier as fr
from algorithms import analytics

from .text import Table


def tables() -> tuple[Table, Table]:
    """The table of structures, and the table of algorithms by structure."""
    kinds = fr.structures()
    about = tuple(
        (f"`{name}`", f"`{kind.__name__}`", summary(kind), "yes" if kind.can_store_weights else "no", _devices(kind))
        for name, kind in kinds.items()
    )  # fmt: skip
    header = ("name", "class", "what it is", "weights", "devices")
    by_algorithm = tuple(
        (f"`{name}`", summary(algorithm), *(runs_on(algorithm, kind) for kind in kinds.values()))
        for name, algorithm in all_algorithms().items()
    )
    return Table(header, about), Table(("algorithm", "what it does", *(f"`{name}`" for name in kinds)), by_algorithm)


def all_algorithms() -> dict[str, Any]:
    """Both forms of every analytic of the catalogue, by their names in Python."""
    forms = [(name, form) for name, known in analytics().items() for form in (known.incremental, known.static) if form]
    return dict(sorted((getattr(form, "__name__", name), form) for name, form in forms))


def summary(member: Any) -> str:
    """The first sentence of a docstring."""
    paragraph = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
    return paragraph.split(". ")[0].rstrip(".").replace("|", "\\|")


def _devices(kind: type[fr.Graph]) -> str:
    folder = Path(importlib.util.find_spec(kind.package).origin).parent  # type: ignore[union-attr, arg-type]
    return ", ".join(device for device, file in (("CPU", "cpu.py"), ("GPU", "kernels.cuh")) if (folder / file).exists())


def runs_on(algorithm: Any, kind: type[fr.Graph]) -> str:
    """The devices on which an algorithm runs on a structure: all of the structure's, or none."""
    follows_updates = inspect.isclass(algorithm) and issubclass(algorithm, fr.UpdateObserver)
    return "no" if follows_updates and not issubclass(kind, fr.DynamicGraph) else _devices(kind)


def replace_between(text: str, marker: str, content: str) -> str:
    """Replace the text between ``<!-- marker -->`` and ``<!-- /marker -->`` by `content`."""
    begin, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(end) < text.index(begin):
        raise ValueError(f"the text needs the markers {begin} and {end}, once and in this order")
    head, rest = text.split(begin)
    return f"{head}{begin}\n{content}\n{end}{rest.split(end)[1]}"
