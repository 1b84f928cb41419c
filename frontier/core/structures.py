"""The structures there are, as users ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from frontier.runtime.values import one_of

from .base import BaseGraph
from .registry import registered

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from frontier.graphs import DynamicGraph, Graph

    G = TypeVar("G", bound=Graph, default=DynamicGraph)
    """The class of a structure. Type checkers do not know the class of a name."""
else:
    from typing import TypeVar

    G = TypeVar("G")


def structures() -> dict[str, type[DynamicGraph]]:
    """All structures by name.

    See Also
    --------
    Graph : The interface of all structures.

    Examples
    --------
    >>> import frontier as fr
    >>> sorted(fr.structures())
    ['csr', 'faimgraph', 'gpma', 'graphvine', 'hornet', 'lpma', 'slab']
    >>> fr.structures()["slab"]
    <class 'structures.slab.graph.SlabGraph'>
    """
    return cast("dict[str, type[DynamicGraph]]", registered())


def structure_class(structure: str | type[G]) -> type[G]:
    """The structure that a class or a name of the registry stands for.

    See Also
    --------
    structures : All structures by name.
    """
    if isinstance(structure, str):
        known = structures()
        return cast("type[G]", known[one_of(structure, "structure", known)])
    if isinstance(structure, type) and issubclass(structure, BaseGraph):
        return structure
    raise TypeError(f"structure must be the name or the class of a structure, not {structure!r}")
