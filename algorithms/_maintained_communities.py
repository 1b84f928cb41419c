"""The base of incremental communities: when they are repaired, split and recomputed from scratch, and their names.

The communities of the last result are the start of the next. A subclass notes the changed edges that may change
communities, and repairs communities near them when results are read. Such repairs split no community. So once enough
edges have changed, communities are split into connected pieces, and once many have, they are recomputed from scratch.

    community[v]    a vertex that stands for the community of v. Isolated vertices are
                    communities of their own
    pending[v]      a number, 0 if v need not be visited
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

import frontier as fr

from ._labels import existing_sets, smallest_vertices
from .incremental import IncrementalAlgorithm, maintained

INSERTED, DELETED, CHANGED = range(3)
"""The updates of edges."""

RECOMPUTE_AFTER = 0.1
"""Communities are recomputed from scratch after changes of more than this fraction of the edges. In coAuthorsDBLP,
insertions of 13 % of the edges without a recomputation cost `DynamicLouvain` 0.5 % of modularity."""

SPLIT_AFTER = 1 / 32
"""Communities are split into connected pieces after changes of more than this fraction of the edges. In coAuthorsDBLP,
splits and the levels that follow cost `DynamicLouvain` a third of a recomputation."""


class MaintainedCommunities(IncrementalAlgorithm):
    """Communities of an undirected graph. A subclass calls `_recompute` and `_attach` when it is made."""

    over_parts = True
    _community: Any
    _pending: Any

    @maintained
    def labels(self) -> Any:
        """The smallest vertex of each vertex's community: a read-only array."""
        return self.graph.device.read_only(self._named()[0])

    @maintained
    def count(self) -> int:
        """Number of communities."""
        return self._named()[1]

    @abstractmethod
    def _compute(self) -> Any:
        """The result of the static form."""

    @abstractmethod
    def _start(self, found: Any) -> None:
        """Make the arrays of a subclass for this result of the static form."""

    @abstractmethod
    def _grow(self, more: int) -> None:
        """Extend the arrays of a subclass to new vertices, and reset the entries of deleted ones."""

    @abstractmethod
    def _note(self, src: Any, dst: Any, kind: int) -> None:
        """Note the changed edges that may change communities."""

    @abstractmethod
    def _settle(self, splits: bool) -> bool:
        """Repair the communities, and split disconnected ones if asked. False if they must be recomputed."""

    # ---- updates ----------------------------------------------------------------------------------------------------

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether the communities will be recomputed from scratch anyway."""
        return not self._known or self._is_due

    def outdated(self, edges: int) -> None:
        """Have the communities recomputed when they are read."""
        self._known = False

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Note new edges."""
        self._follow("insert", src, dst, INSERTED)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Note deleted edges."""
        self._follow("delete", src, dst, DELETED)

    def vertices_changed(self) -> None:
        """Add new vertices, and remove deleted vertices, which are isolated, from their communities."""
        if not self._known:
            return
        graph, xp = self.graph, self.graph.xp
        ids = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
        more = ids.size - self._community.size
        self._community = xp.concatenate([self._community, ids[ids.size - more :]])
        self._set_apart_absent()
        self._pending = xp.concatenate([self._pending, xp.zeros(more, np.int32)])
        self._everyone = fr.Frontier.all(graph)
        self._grow(more)
        self._settled = False

    @property
    def _is_due(self) -> bool:
        """Whether enough edges have changed for a recomputation from scratch."""
        return self._changed > RECOMPUTE_AFTER * self.graph.num_edges and not fr.advanced.is_warming_up()

    def _follow(self, update: str, src: Any, dst: Any, kind: int) -> None:
        """Note and count changed edges, unless the communities will be recomputed."""
        if self._repairs(update, src.size):
            self._settled = False
            self._changed += src.size
            self._since_split += src.size
            self._note(src, dst, kind)

    # ---- results ----------------------------------------------------------------------------------------------------

    def _bring_up(self) -> None:
        """Bring the communities up to date with the graph."""
        if self._known and not self._settled:
            self._known = False  # until all of this has worked
            splits = self._since_split > SPLIT_AFTER * self.graph.num_edges
            self._known = self._settled = not self._is_due and self._settle(splits)
            self._since_split *= not splits
            self._found = None
        if not self._known:
            self._recompute()

    def _finish(self) -> None:
        """Compute the results while the graph has the edges that belong to them."""
        self._bring_up()
        self._named()

    def _recompute(self) -> None:
        """Compute the communities from scratch."""
        graph, xp = self.graph, self.graph.xp
        self._known = False
        found = self._compute()
        self._found: tuple[Any, int] | None = (found.labels, found.count)
        self._everyone = fr.Frontier.all(graph)
        ids = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
        self._community = xp.where(found.labels < 0, ids, found.labels)
        self._pending = xp.zeros(ids.size, np.int32)
        self._start(found)
        self._changed = self._since_split = 0  # edges, since the communities were recomputed, and split
        self._known = self._settled = True

    def _set_apart_absent(self) -> None:
        """Make each deleted vertex a singleton community, so no other community has its name when it returns."""
        graph = self.graph
        if graph.absent_mask is not None:
            ids = graph.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
            self._community = graph.xp.where(graph.absent_mask, ids, self._community)

    def _rename(self, degree: Any) -> None:
        """Name communities by their smallest vertices. Vertices of degree 0 are not pending."""
        self._set_apart_absent()
        n = self.graph.num_vertices
        smallest = self.graph.xp.full(n, n, self.graph.vertex_dtype)
        fr.compute(self._everyone, _find_smallest, degree, self._community, smallest)
        fr.compute(self._everyone, _take_name, degree, self._community, smallest, self._pending)

    def _named(self) -> tuple[Any, int]:
        """The communities by their smallest vertices, and their number."""
        if self._found is None:
            self._found = existing_sets(self.graph, smallest_vertices(self.graph, self._community))
        return self._found


class RecomputedOverParts(MaintainedCommunities):
    """The base of the same analytics of distributed graphs: communities are recomputed when they are read."""

    exact = False
    sees_changes = False

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Have the communities recomputed when they are read."""
        self._known = False

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Have the communities recomputed when they are read."""
        self._known = False

    def vertices_changed(self) -> None:
        """Have the communities recomputed when they are read."""
        self._known = False

    def _bring_up(self) -> None:
        if not self._known:
            self._recompute()

    def _recompute(self) -> None:
        self._known = False
        found = self._compute()
        self._found = found.labels, found.count
        self._known = True


def _find_smallest(v, degree, community, smallest):
    if degree[v] > 0:
        fr.atomic_min(smallest, community[v], v)


def _take_name(v, degree, community, smallest, pending):
    if degree[v] > 0:
        community[v] = smallest[community[v]]
    else:
        community[v] = v
        pending[v] = 0
