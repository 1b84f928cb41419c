"""The structures there are. Each registers itself. Tests, benchmarks and the command line iterate over them all."""

from __future__ import annotations

import importlib

from .base import BaseGraph

PROVIDERS = ["structures"]
"""Packages that register their structures when they are imported, at the first request for structures."""

_structures: dict[str, type[BaseGraph]] = {}
_csr: list[type[BaseGraph]] = []


def register_structure(cls: type[BaseGraph], *, static_copies: bool = False) -> type[BaseGraph]:
    """Register a structure by its `name`. With `static_copies` it is the one that `Graph.to_csr` makes."""
    _structures[cls.name] = cls
    if static_copies:
        _csr[:] = [cls]
    return cls


def registered() -> dict[str, type[BaseGraph]]:
    """All structures by name."""
    for package in PROVIDERS:
        module = importlib.import_module(package)
        if not _structures:
            raise ImportError(
                f"{module.__file__} is not the package {package} of dynfrontier, but has its name: rename that file"
            )
    return dict(_structures)


def csr_structure() -> type[BaseGraph]:
    """The structure that static copies are made of.

    See Also
    --------
    structure_class : Any structure by name.
    """
    registered()
    return _csr[0]
