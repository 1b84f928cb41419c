"""`RecordColumns`, consecutive rows of a stream in columns, and the parts of a source's items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from frontier.features.times import TIME, as_times
from frontier.io import EdgeList
from frontier.io.columns import role_of
from frontier.names import VertexNames
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_device_array, as_ids, as_weights, is_on_gpu, same_length
from frontier.runtime.values import kind_of, one_of

SRC, DST, WEIGHTS = "src", "dst", "weights"
POSITIONS = (SRC, DST, WEIGHTS, TIME)
OPERATION = "operation"
OPERATIONS = ("insert", "delete")
ROLES = {"src": SRC, "dst": DST, "weight": WEIGHTS, "time": TIME}


class RecordColumns:
    """Rows of one operation.

    `columns` are ``src`` and ``dst``, and optionally ``weights``, ``time`` and edge data. If vertices have names,
    `needed` has the number of vertices that the rows up to each need, as int64 on the host.
    """

    __slots__ = ("columns", "needed", "operation")

    def __init__(self, columns: dict[str, Any], operation: str = "insert", needed: np.ndarray | None = None):
        self.columns = columns
        self.operation = operation
        self.needed = needed

    def __len__(self) -> int:
        return int(self.columns[SRC].size)

    def cut(self, begin: int, end: int) -> RecordColumns:
        """A slice of them, which shares their memory."""
        needed = None if self.needed is None else self.needed[begin:end]
        return RecordColumns({name: column[begin:end] for name, column in self.columns.items()}, self.operation, needed)

    def joins(self, other: RecordColumns) -> bool:
        return self.operation == other.operation and self.columns.keys() == other.columns.keys()

    @property
    def nbytes(self) -> int:
        return sum(int(column.nbytes) for column in self.columns.values())


def join(parts: list[RecordColumns]) -> RecordColumns:
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    return RecordColumns(
        {name: _module(column).concatenate([part.columns[name] for part in parts])
         for name, column in first.columns.items()}, first.operation,
        None if first.needed is None else np.concatenate([part.needed for part in parts]),
    )  # fmt: skip


def _module(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return np
    import cupy

    return cupy


class Decoder:
    """Makes `RecordColumns` of the items of a source.

    Tables (pandas, Polars, Arrow, cuDF) and edge lists may have columns that the graph does not use. They are left out.
    Every column of a tuple or dictionary counts: one that the graph does not accept is an error when it is inserted.

    Insertions have times if `takes_time`. `columns` maps ``src``, ``dst``, ``weights``, ``time`` or a column of edge
    data to its name in items. `names` are the names of vertices instead of ids. `takes_text` is True if they are text.
    `data_columns` are the columns of edge data that insertions accept.
    """

    def __init__(
        self, graph: Any, takes_time: bool, columns: Mapping[str, str] | None, names: VertexNames | None = None
    ):  # fmt: skip
        self._unit: str | None = graph.time_unit
        self._weight_dtype = graph.weight_dtype
        self._device: Device = graph.device
        data = graph.payload.table
        self.data_columns: tuple[str, ...] = () if data is None else tuple(name for name in data.takes if name != TIME)
        self._data = set(self.data_columns)
        self._takes = {SRC, DST, *self._data}
        self._takes |= {WEIGHTS} if graph.is_weighted else set()
        self._takes |= {TIME} if takes_time else set()
        self._names = {("weights" if role == "weight" else role): name for role, name in (columns or {}).items()}
        self._vertices = names
        self.takes_text = names is not None and names.dtype == "str"
        for role in self._names:
            if role not in POSITIONS and role not in self._data:
                known = ", ".join((*POSITIONS, *self.data_columns))
                raise ValueError(f"columns names {role!r}, which is none of {known}")

    def decode(self, item: Any) -> RecordColumns:
        """The rows of an item. TypeError and ValueError name the column and the fault."""
        if isinstance(item, RecordColumns):
            return item
        operation = "insert"
        if isinstance(item, EdgeList):
            given, operation = _of_edge_list(item), item.operation
            given = {name: column for name, column in given.items() if name in self._takes}
            if self._vertices is not None:  # names are the source's own, not the reader's numbers
                given |= {SRC: item.to_original(item.src), DST: item.to_original(item.dst)}
        elif isinstance(item, tuple):
            if not 2 <= len(item) <= len(POSITIONS):
                raise TypeError(f"a tuple contains src, dst, and maybe weights and time; got one of {len(item)}")
            given = {name: values for name, values in zip(POSITIONS, item, strict=False) if values is not None}
        elif isinstance(item, Mapping):
            back = {name: role for role, name in self._names.items()}
            given = {back.get(name, "weights" if name == "weight" else name): item[name] for name in item}
            operation = one_of(given.pop(OPERATION, operation), OPERATION, OPERATIONS)
        else:
            given = self._of_table(item)
        for name in (SRC, DST):
            if name not in given:
                raise ValueError(f"there is no column {self._names.get(name, name)!r}")
        if operation == "delete":
            given = {name: given[name] for name in (SRC, DST)}
        needed = None
        if self._vertices is not None:
            src, dst = self._vertices.ids_of_edges(given[SRC], given[DST])
            given |= {SRC: src, DST: dst}
            last = self._vertices.device.to_host(self._vertices.device.xp.maximum(src, dst))
            needed = np.maximum.accumulate(last + 1)
        columns = {name: self._column(name, values) for name, values in given.items()}
        same_length(**columns)
        return RecordColumns(columns, operation, needed)

    def _of_table(self, item: Any) -> dict[str, Any]:
        if hasattr(item, "schema") and hasattr(item, "column"):  # Arrow
            names, get = list(item.schema.names), item.column
        elif hasattr(item, "columns") and hasattr(item, "__getitem__"):
            names, get = [str(name) for name in item.columns], item.__getitem__
        else:
            raise TypeError(f"a source yields tuples, dictionaries, tables or edge lists, not {kind_of(item)}")
        back = {name: role for role, name in self._names.items()}
        found: dict[str, Any] = {}
        for name in names:
            named = back.get(name)
            role = named or (name if name in self._data else ROLES.get(role_of(name) or "", ""))
            if role in self._takes and (named or role not in found.keys() | self._names.keys()):
                found[role] = get(name)
        return found

    def _column(self, name: str, values: Any) -> Any:
        """A column in its own memory, unless that is a GPU's and the graph is elsewhere."""
        place = self._device if self._device.is_gpu and is_on_gpu(values) else resolve_device("cpu")
        if name in (SRC, DST):
            return as_ids(place, values, name)
        if name == TIME and self._unit is not None:
            return as_times(place, values, name, self._unit)
        if name == WEIGHTS and self._weight_dtype is not None:
            return as_weights(place, values, name, self._weight_dtype)
        return as_device_array(place, values, name)


def _of_edge_list(edges: EdgeList) -> dict[str, Any]:
    times = edges.times
    if times is not None and edges.time_unit is not None:  # dates, which the graph has in its own unit
        times = times.astype(f"datetime64[{edges.time_unit}]")
    columns = {SRC: edges.src, DST: edges.dst, WEIGHTS: edges.weights, TIME: times, **(edges.data or {})}
    return {name: column for name, column in columns.items() if column is not None}


PART_RECORDS = 1 << 20
"""Most rows of a part of several batches. One copy of a part costs the host as much as one of a batch, so batches of
large arrays are copied together."""


class SourceError(Exception):
    """A source has failed (``__cause__``), or yielded no rows. `record` is the number of the item's first one."""

    def __init__(self, record: int):
        super().__init__(record)
        self.record = record


def decoded(items: Iterable[Any], decode: Callable[[Any], RecordColumns], begin: int) -> Iterator[RecordColumns]:
    """Yield the rows of items from number `begin` on, or SourceError. Close a generator at the end."""
    at = begin
    try:
        for item in items:
            records = decode(item)
            at += len(records)
            yield records
    except Exception as error:
        raise SourceError(at) from error
    finally:
        if isinstance(items, Iterator) and hasattr(items, "close"):
            items.close()


def without_first(items: Iterable[RecordColumns], count: int) -> Iterator[RecordColumns]:
    """All but the first `count` rows."""
    for item in items:
        if count and len(item) <= count:
            count -= len(item)
            continue
        yield item.cut(count, len(item))
        count = 0


def in_parts(items: Iterable[RecordColumns], size: int) -> Iterator[RecordColumns]:
    """Parts of a multiple of `size` rows, except before a change of operation, and at the end."""
    most = max(size, PART_RECORDS // size * size)
    held: list[RecordColumns] = []
    count = 0
    try:
        for item in items:
            if not len(item):
                continue
            if held and not item.joins(held[0]):
                yield join(held)
                held, count = [], 0
            begin, end = 0, len(item)
            if held and count + end >= size:
                begin = size - count
                yield join([*held, item.cut(0, begin)])
                held, count = [], 0
            while end - begin >= size:
                stop = min(begin + most, begin + (end - begin) // size * size)
                yield item.cut(begin, stop)
                begin = stop
            if begin < end:
                held.append(item.cut(begin, end))
                count += end - begin
    except SourceError:
        if held:  # the rows before the fault
            yield join(held)
        raise
    if held:
        yield join(held)
