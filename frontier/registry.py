"""The structures there are. Each registers itself; tests, benchmarks and the command line go through them all."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

from .kinds import AnyGraph
from .values import one_of

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from .dynamic import DynamicGraph
    from .graph import Graph

    G = TypeVar("G", bound=Graph, default=DynamicGraph)
    """The class of a structure; what a name stands for, type checkers do not know."""

PROVIDERS = ["structures"]
"""Packages that register their structures when they are imported, which they are when somebody asks for structures."""

_structures: dict[str, type[Graph]] = {}
_snapshot: list[type[Graph]] = []


def register_structure(cls: type[Graph], *, snapshot: bool = False) -> type[Graph]:
    """Make a structure known by its `name`.

    Parameters
    ----------
    snapshot : bool
        This is the structure that static copies (`Graph.to_csr`) are made of.
    """
    _structures[cls.name] = cls
    if snapshot:
        _snapshot[:] = [cls]
    return cls


def structures() -> dict[str, type[DynamicGraph]]:
    """All structures by name."""
    for package in PROVIDERS:
        module = importlib.import_module(package)
        if not _structures:
            raise ImportError(
                f"{module.__file__} is not the package {package} of dynfrontier, but has its name: rename that file"
            )
    return cast("dict[str, type[DynamicGraph]]", dict(_structures))


def snapshot_structure() -> type[Graph]:
    """The structure that static copies are made of."""
    structures()
    return _snapshot[0]


def structure_class(structure: str | type[G]) -> type[G]:
    """The structure that a class or a name of the registry stands for."""
    if isinstance(structure, str):
        known = structures()
        return cast("type[G]", known[one_of(structure, "structure", known)])
    if isinstance(structure, type) and issubclass(structure, AnyGraph):
        return structure
    raise TypeError(f"structure must be the name or the class of a structure, not {structure!r}")
