"""Arrays by vertex, of which every partition has a copy, and the rules that make the copies agree.

Entry v of a copy is authoritative on the partition that owns v. Functors read and write their own partition's copy.

* Operators over edges write to entries of vertices that other partitions own. These *changed copies* travel to the
  owners, which combine them by the array's rule.
* Operators over vertices write to owned entries. The copies of other partitions are then *behind*, until they are
  needed.
* Copies of an array with the rule "add" contain the amounts to add to the owner's entry. An amount that functors added
  without returning the vertex is *pending*: it stays where it is until the array is read.
* Copies of an array with the rule "countdown" are one more than the amounts to add. So the first decrement of a copy is
  from 1 to 0: the functor returns the vertex, and its owner is notified. The owner decides whether its entry reaches 0.
* Copies of an array whose rule is a function are *apart* after `visit_edges`, until another operator needs them. They
  are *held* apart while a block (`locally`) lets each partition work on its own copy.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from frontier.core.arguments import one_of
from frontier.operators import compute
from frontier.operators.frontiers.frontier import Frontier
from frontier.runtime.memory import elementwise

from ..partition.partition import Partition
from ..transport.communicator import Communicator
from .accesses import reads_own_entry
from .levels import IDLE, RULES, Columns, Mail

MARKED = 256
"""On a CPU, lists of vertices are joined by a mark for each vertex if there are at most so many marks for an entry, and
by sorting otherwise."""
FLAGS, SUMS, RESULTS = "flags", "sums", "results"
"""Rules of small arrays that are not by vertex: of flags, of sums of all partitions, and of the results of `reduce`."""
OF_NO_VERTEX = FLAGS, SUMS  # the rules of small arrays that any functor may write to
ABSENT = -1  # the position of an array that is not among the arguments


@dataclass
class Entry:
    """The state of an array by vertex."""

    array: weakref.ref
    rule: str | Callable | None = None
    leader: weakref.ref | None = None  # the array whose copies decide which copy of this one counts
    behind: bool = False  # copies of entries that other partitions own may be out of date
    holds_sums: bool = False  # with a rule of `IDLE`: such copies contain amounts to add instead of values
    pending: bool = False  # these amounts may be nonzero
    apart: bool = False  # copies may have to be combined, by a rule that is a function
    held: bool = False  # they stay apart for now, even if they are needed
    normal: Callable | None = None  # brings entries to a form in which combined copies are equal
    before: Any = None  # a copy from before the current operator, if all partitions' copies were equal
    held_from: Any = None  # on CPUs, a copy from when they were first held: its values are no news to other partitions


class VertexArrays:
    """The arrays by vertex of one partition, with their rules.

    An operator treats an array of the right length as an array by vertex, without a rule. `local` returns the local
    graph, `is_column` whether an array is by edge. `plans` caches the roles of arguments in operators (`gpu_steps`).
    """

    def __init__(
        self, comm: Communicator, partition: Partition, local: Callable[[], Any], is_column: Callable[[Any], bool]
    ):  # fmt: skip
        self._comm = comm
        self._is_column = is_column
        self._local = local
        self._partition = partition
        self._known: dict[int, Entry] = {}
        self._mail: Mail | None = None
        self.plans: dict[tuple, Any] = {}

    def register(self, array: Any, rule: str | Callable | None, leader: Any, normal: Callable | None = None) -> Any:
        """Register how the copies of an array combine, and return the array."""
        if rule is not None and not callable(rule):
            one_of(rule, "combine", tuple(RULES))
            if rule == "countdown" and array.dtype.kind != "i":
                raise ValueError(
                    f"combine='countdown' is for signed integers, which may fall below 0, not {array.dtype}"
                )
        if leader is not None:
            found = self._known.get(id(leader))
            if found is None or found.rule not in ("min", "max"):
                raise ValueError("follows must be a vertex array of this graph with combine='min' or 'max'")
            if rule is not None:
                raise ValueError("an array has either a rule, combine=, or another array to follow")
        if normal is not None and not callable(rule):
            raise ValueError("normal goes with a rule, combine=, that is a function")
        self._entry(array, rule, None if leader is None else weakref.ref(leader)).normal = normal
        return array

    def _entry(self, array: Any, rule: Any = None, leader: Any = None) -> Entry:
        found = self._known.get(id(array))
        if found is None:
            key = id(array)
            found = Entry(weakref.ref(array, lambda _: self._known.pop(key, None)), rule, leader)
            self._known[key] = found
        return found

    def rule_of(self, array: Any) -> Any:
        """Return how copies of an array combine: "follows" if it follows another array, None without a rule."""
        entry = self._known.get(id(array))
        return None if entry is None else "follows" if entry.leader is not None else entry.rule

    def register_small(self, array: Any, rule: str) -> Any:
        """Register a small array that is not by vertex, with `FLAGS`, `SUMS` or `RESULTS`, and return the array."""
        self._entry(array, rule)
        return array

    def finish_results(self, args: Sequence[Any]) -> None:
        """Run the deferred reductions if the result of one is among the arguments."""
        comm = self._comm
        if any(each.array is value for each in comm.deferred for value in args):
            comm.flush()

    def among(self, args: Sequence[Any]) -> list[Any]:
        """Return the arrays by vertex among the arguments of a functor."""
        size, kind = self._partition.owners.size, self._comm.device.xp.ndarray
        return [
            value for value in args
            if isinstance(value, kind) and value.shape == (size,)
            and self.rule_of(value) not in (*OF_NO_VERTEX, RESULTS) and not self._is_column(value)
        ]  # fmt: skip

    def kinds_of(self, args: Sequence[Any]) -> tuple:
        """Return a hashable key of arguments: operators treat arguments with equal keys the same."""
        shape, kind = (self._partition.owners.size,), self._comm.device.xp.ndarray
        places = {id(value): place for place, value in enumerate(args)}  # equal for the same array
        kinds: list[Any] = []
        for value in args:
            if not isinstance(value, kind):
                kinds.append(type(value))
                continue
            entry, rule, leader = self._known.get(id(value)), None, None
            if entry is not None:
                rule = entry.rule
                leader = entry.leader and places.get(id(entry.leader()), ABSENT)
            kinds.append((places[id(value)], value.dtype, value.shape == shape, rule, leader, self._is_column(value)))
        return tuple(kinds)

    # ---- owners to copies -------------------------------------------------------------------------------------------

    def written(self, arrays: Sequence[Any]) -> None:
        """Note that owned entries of these arrays may have changed."""
        for array in arrays:
            self._entry(array).behind = True

    def shared(self, arrays: Sequence[Any]) -> None:
        """Note that all copies of these arrays are up to date."""
        for array in arrays:
            self._entry(array).behind = False

    def sync(self, arrays: Sequence[Any]) -> None:
        """Update copies that are behind, and combine flags, and the sums of results, over all partitions."""
        self.finish_results(arrays)
        self.settle(arrays)
        entries = {id(array): self._entry(array) for array in arrays}
        stale = [
            array for array in arrays
            if (entries[id(array)].behind or entries[id(array)].holds_sums) and not entries[id(array)].held
        ]  # fmt: skip
        for array in stale:
            self._normalize(array)
        stale = [array for array in stale if entries[id(array)].normal is None]
        for size in dict.fromkeys(array.size for array in stale):
            self.copy_from_owners(*(array for array in stale if array.size == size))
        for array in stale:
            entry = self._entry(array)
            entry.behind = entry.holds_sums = False
        for array in arrays:
            if self._entry(array).rule == FLAGS:
                array[...] = self._comm.allreduce(array, "max")

    def publish(self, arrays: Sequence[Any], ids: Any) -> None:
        """`sync` if since the last one entries have changed only at `ids`, vertices of this partition."""
        comm = self._comm
        counts = comm.gather_counts([int(ids.size)])[:, 0].tolist()
        width = sum(array.itemsize for array in arrays)
        if sum(counts) * (width + ids.itemsize) >= arrays[0].size * width:
            self.sync(arrays)
            return
        if comm.size > 1 and sum(counts):
            found, *columns = comm.allgather_columns([ids, *(array[ids] for array in arrays)], counts)
            for array, values in zip(arrays, columns, strict=True):
                array[found] = values
        for array in arrays:
            self._entry(array).behind = False

    def copy_from_owners(self, *arrays: Any) -> None:
        """Copy every entry of arrays of equal length from the partition that owns it. New vertices may be missing."""
        comm = self._comm
        if not arrays or comm.size == 1:
            return
        owned, others, counts = self._partition.pieces_of_first(arrays[0].size)
        columns = comm.gather_others([elementwise.take(comm.device, array, owned) for array in arrays], counts)
        for array, values in zip(arrays, columns, strict=True):
            elementwise.put(comm.device, array, others, values)

    def _is_away(self, array: Any) -> Any:
        return self._partition.owners[: array.size] != self._comm.rank

    def settle(self, arrays: Sequence[Any]) -> None:
        """Bring owned entries up to date: send pending amounts, and combine copies that differ."""
        for array in arrays:
            entry = self._entry(array)
            if entry.apart and not entry.held:
                self.unite([array])
            elif entry.pending:
                self._send_pending(array, entry)

    def before_edges(self, arrays: Sequence[Any], read: Sequence[Any], *, writes_few: bool = True) -> None:
        """Before functors are called at edges, which read entries of other vertices than `src` in the arrays `read`.

        Entries without a rule must equal the owners' if both ends are read. Copies with a rule may be behind: a minimum
        that is not yet as low leads to more work, not to another result. An operator that `writes_few` entries may do
        the work of finding them.
        """
        self.sync([array for array in read if self._entry(array).rule is None and not self._entry(array).leader])
        self.hold_sums(arrays)
        for array in arrays:
            entry = self._entry(array)
            if callable(entry.rule) and self._comm.size > 1:
                alike = writes_few and not (entry.behind or entry.apart or entry.held) and reads_own_entry(entry.rule)
                entry.before = array.copy() if alike else None

    def hold_sums(self, arrays: Sequence[Any]) -> None:
        """Make copies of arrays contain amounts to add, if the rules require it, and expect some."""
        for array in arrays:
            entry = self._entry(array)
            if entry.rule in IDLE and self._comm.size > 1:
                if not entry.holds_sums:
                    array[self._is_away(array)] = IDLE[entry.rule]
                    entry.holds_sums = True
                entry.pending = entry.rule == "add"

    # ---- changed copies to owners -----------------------------------------------------------------------------------

    def to_owners(self, reached: Any, arrays: Sequence[Any], numbers: Sequence[int] = ()) -> tuple[Any, list[int]]:
        """Send the copies of `reached`, vertices without duplicates, to their owners, for the arrays with a rule.

        Returns the owned ones of `reached` together with the vertices whose entries other partitions' copies have
        improved, without duplicates. Without a rule, returns all owned vertices that other partitions have reached.
        Also returns the number of vertices that all partitions have reached (on GPUs, that they return), and the sums
        of `numbers` over all partitions.

        One exchange of counts, for which the host synchronizes, and one of values. On GPUs see `levels`.
        """
        xp, partition, comm = self._comm.device.xp, self._partition, self._comm
        ruled, followers = self._ruled(arrays)
        self.written((*ruled, *followers))
        if comm.size == 1:
            return reached, [int(reached.size), *numbers]
        columns = self.columns_of(ruled, followers) if len(numbers) <= 1 else None
        if columns is not None:
            local = self._local()
            reached = reached.astype(local.vertex_dtype, copy=False)
            level = self.mail.send(local, columns, reached, *numbers or (0,))
            return level.members, [level.total, level.entered][: 1 + len(numbers)]
        reached, found = partition.sort_by_owner(reached)
        known = xp.asarray(np.asarray([reached.size, *numbers], np.int64))
        table = comm.gather_rows(xp.concatenate([found, known]))  # row p: the counts that partition p sends, and more
        counts, received = table[comm.rank, : comm.size].tolist(), table[:, comm.rank].tolist()
        sums = table[:, comm.size :].sum(axis=0).tolist()
        own = partition.own_piece(counts)
        mine = reached[own]
        # Send pairs or all entries, whichever is less in total: all partitions choose alike.
        itemsize = sum(array.itemsize for array in (*ruled, *followers))
        sent = table[:, : comm.size]
        pairs = int(sent.sum() - np.trace(sent)) * (itemsize + reached.itemsize)
        if not pairs:
            return mine, sums
        dense = bool(ruled) and int(partition.owners.size) * (comm.size - 1) * itemsize < pairs
        carried = [*ruled, *followers]
        if dense:
            order, sizes = partition.of_first(carried[0].size)
            received = [sizes[comm.rank]] * comm.size
            got, _ = comm.alltoallv_columns([array[order] for array in carried], sizes, received)
            ids = xp.concatenate([order[partition.own_piece(sizes)]] * comm.size)
        else:
            (*got, ids), _ = comm.alltoallv_columns([*(array[reached] for array in carried), reached], counts, received)
        self._forget_sent(ruled, None if dense else [reached[: own.start], reached[own.stop :]])
        values = {id(array): column for array, column in zip(carried, got, strict=True)}
        better = []
        start = 0
        for peer, count in enumerate(received):  # no vertex is listed twice by one partition
            piece, start = slice(start, start + count), start + count
            if peer != comm.rank and count:
                theirs = {key: column[piece] for key, column in values.items()}
                better.append((ids[piece], self._combine(ids[piece], theirs, ruled, followers)))
        return self._joined(mine, better), sums

    @property
    def mail(self) -> Mail:
        if self._mail is None:
            self._mail = Mail(self._comm, self._partition)
            Mail.load_ahead(self._local())
        return self._mail

    def columns_to_send(self, arrays: Sequence[Any]) -> Columns | None:
        """Return the columns of the arrays whose copies go to the owners, if kernels send them."""
        return self.columns_of(*self._ruled(arrays))

    def columns_of(self, ruled: Sequence[Any], followers: Sequence[Any]) -> Columns | None:
        """Return the columns of arrays with a rule and of their followers, if kernels send them."""
        if not Mail.can_carry(self._comm):
            return None
        return Columns.of(
            [(array, self._entry(array).rule) for array in ruled],
            [(array, self._entry(array).leader()) for array in followers],  # type: ignore[misc]
        )  # fmt: skip

    def needs_settling(self, array: Any) -> bool:
        """Return whether copies of an array may be ahead of the owners after an operator has sent its output."""
        rule = self._entry(array).rule
        return rule == "add" or callable(rule)

    def _joined(self, mine: Any, better: list[tuple[Any, Any]]) -> Any:
        """Return this partition's vertices and the marked ones (None: all) of other partitions' lists, once each."""
        xp, size = self._comm.device.xp, int(self._partition.owners.size)
        if not self._comm.device.is_gpu:
            lists = [mine, *(ids if marks is None else ids[marks] for ids, marks in better)]
            if MARKED * sum(each.size for each in lists) < size:
                found = np.sort(np.concatenate(lists))
                return found[np.concatenate([np.ones(min(found.size, 1), np.bool_), found[1:] != found[:-1]])]
            better = [(ids, None) for ids in lists]
        found = xp.zeros(size, np.bool_)  # the host synchronizes once
        found[mine] = True
        for ids, marks in better:
            found[ids] = True if marks is None else found[ids] | marks
        return xp.flatnonzero(found).astype(mine.dtype)

    def _forget_sent(self, arrays: Sequence[Any], sent: Any) -> None:
        """Clear amounts that have been sent: of some vertices, or of all (None)."""
        for array in arrays:
            entry = self._entry(array)
            if entry.rule not in IDLE:
                continue
            if sent is None:
                array[self._is_away(array)] = IDLE[entry.rule]
                entry.pending = False
            else:
                for ids in sent:
                    array[ids] = IDLE[entry.rule]

    def _send_pending(self, array: Any, entry: Entry) -> None:
        """Send all pending amounts to the owners."""
        xp = self._comm.device.xp
        held = array != 0
        held &= self._is_away(array)
        self.to_owners(xp.flatnonzero(held).astype(np.int32 if array.size < 2**31 else np.int64), [array])
        entry.pending = False

    def _ruled(self, arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the arrays with a named rule, and their followers."""
        distinct = list({id(array): array for array in arrays}.values())
        ruled = [array for array in distinct if isinstance(self._entry(array).rule, str)]
        followers = [array for array in distinct if self._entry(array).leader is not None]
        for array in followers:
            if not any(self._entry(array).leader() is leader for leader in ruled):  # type: ignore[misc]
                raise ValueError("a vertex array that follows another was given to an operator without that one")
        return ruled, followers

    def _combine(self, ids: Any, values: dict[int, Any], ruled: Sequence[Any], followers: Sequence[Any]) -> Any:
        """Combine a partition's values with the owned entries, and return which improved, or None for all."""
        xp = self._comm.device.xp
        if not ruled:
            return None
        improved = xp.zeros(ids.size, np.bool_)
        better: dict[int, Any] = {}
        for array in ruled:
            old, new, rule = array[ids], values[id(array)], self._entry(array).rule
            if rule == "countdown":
                total = old + (new - IDLE[rule])
                better[id(array)] = (old > 0) & (total <= 0)
            else:
                total = {"min": xp.minimum, "max": xp.maximum, "add": xp.add, "or": xp.bitwise_or}[rule](old, new)
                better[id(array)] = total != old
            improved |= better[id(array)]
            array[ids] = total
        for array in followers:
            which = better[id(self._entry(array).leader())]  # type: ignore[misc]
            array[ids] = xp.where(which, values[id(array)], array[ids])
        return improved

    # ---- rules that are functions -----------------------------------------------------------------------------------

    def is_united(self, array: Any) -> bool:
        return callable(self._entry(array).rule)

    def unite(self, arrays: Sequence[Any]) -> None:
        """Combine all copies of the arrays whose rule is a function, on all partitions.

        If copies were equal before an operator, and it has changed few entries, these go to all partitions. Otherwise
        whole copies do: after step k each partition has the values of 2^k partitions, so log2(size) steps suffice.
        Values may arrive twice, since the functions are idempotent.
        """
        comm, size = self._comm, self._comm.size
        for array in arrays:
            rule = self._entry(array).rule
            if not callable(rule):
                continue
            entry = self._entry(array)
            before, entry.before, entry.apart = entry.before, None, entry.held
            if entry.held:
                continue
            held_from, entry.held_from = entry.held_from, None
            if size == 1 or (before is not None and self._unite_changes(array, rule, before)):
                continue
            step = 1
            while step < size:
                counts, received = [0] * size, [0] * size
                counts[(comm.rank + step) % size] = received[(comm.rank - step) % size] = int(array.size)
                # Another process reads the array, so CPUs send a copy: a rule writes five times as slowly to cache
                # lines that another core has just read.
                theirs, _ = comm.alltoallv(array if comm.device.is_gpu else array.copy(), counts, received)
                compute(self._with_news(array, theirs, held_from), rule, array, theirs)
                step *= 2

    def _with_news(self, array: Any, theirs: Any, held_from: Any) -> Frontier:
        """Return the vertices whose entries in another partition's copy may contain news.

        This search is faster than calling a rule for all vertices: the rule runs for few entries, and branches of a
        rule that mostly finds equal entries are predicted well. A third of the entries of the forests of an R-MAT graph
        are news.
        """
        local = self._local()
        if held_from is None:
            return Frontier.all(local)
        news = theirs != array
        news &= theirs != held_from
        return Frontier._of(local, np.flatnonzero(news).astype(local.vertex_dtype))

    def _normalize(self, array: Any) -> None:
        entry = self._entry(array)
        if entry.normal is not None:
            if self._comm.size > 1:
                compute(Frontier.all(self._local()), entry.normal, array)
            entry.behind = False

    def _unite_changes(self, array: Any, rule: Callable, before: Any) -> bool:
        """Combine only changed entries, if that sends less, and return whether it does. Overwrites `before`."""
        xp, comm = self._comm.device.xp, self._comm
        changed = xp.flatnonzero(array != before).astype(self._local().vertex_dtype)
        counts = comm.gather_counts([int(changed.size)])[:, 0].tolist()
        if sum(counts) * (array.itemsize + changed.itemsize) >= array.nbytes * (comm.size - 1).bit_length():
            return False
        if not sum(counts):
            return True
        ids, values = comm.allgather_columns([changed, array[changed]], counts)
        start = 0
        for peer, count in enumerate(counts):
            piece, start = slice(start, start + count), start + count
            if peer != comm.rank and count:
                before[ids[piece]] = values[piece]  # the other copy, for the rule
                compute(Frontier._of(self._local(), ids[piece]), rule, array, before)
        return True

    @contextmanager
    def hold_apart(self, arrays: Sequence[Any]) -> Iterator[None]:
        """Let each partition work on its own copies of arrays, whose rules are functions, until the block ends."""
        entries = [self._entry(array) for array in arrays]
        if not all(callable(entry.rule) for entry in entries):
            raise ValueError("locally() takes vertex arrays of this graph whose rule, combine=, is a function")
        self.settle(arrays)
        for array, entry in zip(arrays, entries, strict=True):
            entry.held = True
            looks = self._comm.size > 1 and not self._comm.device.is_gpu and reads_own_entry(entry.rule)  # type: ignore
            entry.held_from = array.copy() if looks else None
        try:
            yield
        finally:
            for entry in entries:
                entry.held = False

    def set_apart(self, arrays: Sequence[Any]) -> None:
        """Note that copies of arrays whose rule is a function differ from now on."""
        for array in arrays:
            if self.is_united(array):
                self._entry(array).apart = True
                self._entry(array).before = None
