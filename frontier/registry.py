"""The structures there are. Each registers itself; tests, benchmarks and the command line go through them all."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from .kinds import AnyGraph
from .values import one_of

if TYPE_CHECKING:
    from .graph import Graph

PROVIDERS = ["structures"]
"""Packages that register their structures when they are imported, which they are when somebody asks for structures."""

_structures: dict[str, type[Graph]] = {}
_snapshot: list[type[Graph]] = []


def register_structure(cls: type[Graph], *, snapshot: bool = False) -> type[Graph]:
    """Make a structure known by its `name`.

    Parameters
    ----------
    snapshot : bool
        This is the structure that static snapshots (`Graph.to_csr`) are made of.
    """
    _structures[cls.name] = cls
    if snapshot:
        _snapshot[:] = [cls]
    return cls


def structures() -> dict[str, type[Graph]]:
    """All structures by name."""
    for package in PROVIDERS:
        module = importlib.import_module(package)
        if not _structures:
            raise ImportError(
                f"{module.__file__} is not the package {package} of dynfrontier, but has its name: rename that file"
            )
    return dict(_structures)


def snapshot_structure() -> type[Graph]:
    """The structure that static snapshots are made of."""
    structures()
    return _snapshot[0]


def structure_class(structure: Any) -> type[Graph]:
    """The structure that a class or a name of the registry stands for."""
    if isinstance(structure, str):
        known = structures()
        return known[one_of(structure, "structure", known)]
    if isinstance(structure, type) and issubclass(structure, AnyGraph):
        return cast("type[Graph]", structure)
    raise TypeError(f"structure must be the name or the class of a structure, not {structure!r}")
