"""Arrays by vertex, of which every part has a copy, and how the copies agree.

Entry v of a part's copy is authoritative on the part that owns v. Functors read and write their own part's copy.

* Operators over edges write to entries of vertices that other parts own. These *changed copies* travel to the owners,
  and are combined there by the array's rule.
* Operators over vertices write to owned entries. The copies of other parts are *behind* then, until they are needed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import one_of
from ..operators import compute
from .communicator import Communicator
from .partition import Partition

RULES = ("min", "max", "add", "or")


@dataclass
class Entry:
    """What is known of an array.

    Attributes
    ----------
    rule : str, function or None
        How copies combine.
    leader : weak reference or None
        The array whose copies decide which copy of this one counts.
    behind : bool
        Whether copies of entries that other parts own may be out of date.
    """

    array: weakref.ref
    rule: str | Callable | None = None
    leader: weakref.ref | None = None
    behind: bool = False


class VertexArrays:
    """The arrays by vertex that one part has, with their rules.

    Any array of the right length is taken for one when an operator gets it, without a rule.
    """

    def __init__(self, comm: Communicator, partition: Partition):
        self._comm = comm
        self._partition = partition
        self._known: dict[int, Entry] = {}

    def register(self, array: Any, rule: str | Callable | None, leader: Any) -> Any:
        """Remember how the copies of an array combine; returns the array."""
        if rule is not None and not callable(rule):
            one_of(rule, "combine", RULES)
        if leader is not None:
            found = self._known.get(id(leader))
            if found is None or found.rule not in ("min", "max"):
                raise ValueError("follows must be a vertex array of this graph with combine='min' or 'max'")
            if rule is not None:
                raise ValueError("an array either has a rule of its own, combine=, or follows another")
        self._entry(array, rule, None if leader is None else weakref.ref(leader))
        return array

    def _entry(self, array: Any, rule: Any = None, leader: Any = None) -> Entry:
        found = self._known.get(id(array))
        if found is None:
            key = id(array)
            found = Entry(weakref.ref(array, lambda _: self._known.pop(key, None)), rule, leader)
            self._known[key] = found
        return found

    def rule_of(self, array: Any) -> Any:
        """How copies of an array combine; "follows" for one that follows another, None for one without a rule."""
        entry = self._known.get(id(array))
        return None if entry is None else "follows" if entry.leader is not None else entry.rule

    def among(self, args: Sequence[Any]) -> list[Any]:
        """The arrays by vertex among the arguments of a functor."""
        size, kind = self._partition.owners.size, self._comm.device.xp.ndarray
        return [value for value in args if isinstance(value, kind) and value.shape == (size,)]

    # ---- owners to copies -------------------------------------------------------------------------------------------

    def written(self, arrays: Sequence[Any]) -> None:
        """Owned entries of these may have changed."""
        for array in arrays:
            self._entry(array).behind = True

    def complete(self, arrays: Sequence[Any]) -> None:
        """Bring copies that are behind up to date with the owners'."""
        for array in arrays:
            entry = self._entry(array)
            if entry.behind:
                self.copy_from_owners(array)
                entry.behind = False

    def copy_from_owners(self, array: Any) -> None:
        """Copy every entry from the part that owns it."""
        partition = self._partition
        values, _ = self._comm.allgather(array[partition.owned], partition.counts)
        array[partition.order] = values

    def before_edges(self, arrays: Sequence[Any]) -> None:
        """Before functors read both ends of edges: entries without a rule must be those of the owners.

        Copies of the others may be behind: a minimum that is not yet as low leads to more work, not to another result.
        """
        self.complete([array for array in arrays if self._entry(array).rule is None and not self._entry(array).leader])
        for array in arrays:
            if self._entry(array).rule == "add":  # copies hold what is to be added, and nothing else
                array[self._partition.owners != self._comm.rank] = 0

    # ---- changed copies to owners -----------------------------------------------------------------------------------

    def to_owners(self, reached: Any, arrays: Sequence[Any]) -> Any:
        """Send the copies of some vertices to their owners.

        Parameters
        ----------
        reached : array of vertex ids
            Without duplicates. Copies of other vertices have not changed.
        arrays : sequence of array
            Those with a rule are sent.

        Returns
        -------
        array of vertex ids
            Those of `reached` that this part owns, and those whose entries other parts' copies have improved, without
            duplicates. If no array has a rule, all that other parts have reached.
        """
        xp, partition, comm = self._comm.device.xp, self._partition, self._comm
        ruled, followers = self._ruled(arrays)
        mine = partition.is_mine(reached)
        away = reached[~mine]
        order, counts = partition.by_owner(away)
        away = away[order]
        table = comm.gather_counts(counts)  # row p: what part p sends to each
        received = table[:, comm.rank].tolist()
        # By pairs, or all entries: by what is less in total, so that all parts choose alike.
        itemsize = sum(array.itemsize for array in (*ruled, *followers))
        pairs = int(table.sum()) * (itemsize + reached.itemsize)
        dense = bool(ruled) and int(partition.owners.size) * (comm.size - 1) * itemsize < pairs
        joined = [reached[mine]]
        if dense:
            send, send_counts = partition.order, partition.counts
            counts_in = [partition.counts[comm.rank]] * comm.size
            ids = xp.concatenate([partition.owned] * comm.size)
        else:
            send, send_counts, counts_in = away, counts, received
            ids, _ = comm.alltoallv(away, counts, received)
        values = {id(a): comm.alltoallv(a[send], send_counts, counts_in)[0] for a in (*ruled, *followers)}
        start = 0
        for peer, count in enumerate(counts_in):  # no vertex is listed twice by one part
            piece, start = slice(start, start + count), start + count
            if peer != comm.rank and count:
                joined.append(self._combine(ids[piece], {key: v[piece] for key, v in values.items()}, ruled, followers))
        self.written((*ruled, *followers))
        return joined[0] if len(joined) == 1 else xp.unique(xp.concatenate(joined))

    def _ruled(self, arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The arrays with a named rule, and those that follow one of them."""
        distinct = list({id(array): array for array in arrays}.values())
        ruled = [array for array in distinct if isinstance(self._entry(array).rule, str)]
        followers = [array for array in distinct if self._entry(array).leader is not None]
        for array in followers:
            if not any(self._entry(array).leader() is leader for leader in ruled):  # type: ignore[misc]
                raise ValueError("a vertex array that follows another was given to an operator without that one")
        return ruled, followers

    def _combine(self, ids: Any, values: dict[int, Any], ruled: Sequence[Any], followers: Sequence[Any]) -> Any:
        """Combine what one part has sent with the owned entries; returns the vertices that it has improved."""
        xp = self._comm.device.xp
        if not ruled:
            return ids
        improved = xp.zeros(ids.size, np.bool_)
        better: dict[int, Any] = {}
        for array in ruled:
            old, new, rule = array[ids], values[id(array)], self._entry(array).rule
            total = {"min": xp.minimum, "max": xp.maximum, "add": xp.add, "or": xp.bitwise_or}[rule](old, new)
            better[id(array)] = total != old
            improved |= better[id(array)]
            array[ids] = total
        for array in followers:
            which = better[id(self._entry(array).leader())]  # type: ignore[misc]
            array[ids[which]] = values[id(array)][which]
        return ids[improved]

    # ---- rules that are functions -----------------------------------------------------------------------------------

    def is_united(self, array: Any) -> bool:
        """Whether the rule of an array is a function."""
        return callable(self._entry(array).rule)

    def unite(self, frontier: Any, arrays: Sequence[Any]) -> None:
        """Combine all copies of the arrays whose rule is a function, on all parts.

        After step k each part has what 2^k others had, so that log2 of their number is enough. What comes twice does no
        harm: the functions are idempotent.

        Parameters
        ----------
        frontier : Frontier
            All vertices, of the local graph.
        """
        comm, size = self._comm, self._comm.size
        for array in arrays:
            rule = self._entry(array).rule
            if not callable(rule):
                continue
            step = 1
            while step < size:
                counts, received = [0] * size, [0] * size
                counts[(comm.rank + step) % size] = received[(comm.rank - step) % size] = int(array.size)
                theirs, _ = comm.alltoallv(array, counts, received)
                compute(frontier, rule, array, theirs)
                step *= 2
