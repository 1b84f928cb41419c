"""`EdgeData`: the columns of a graph's edges, and which ids are free."""

from __future__ import annotations

import functools
import keyword
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from frontier.core.sort import places_of_ids
from frontier.runtime import Device
from frontier.runtime.arrays import as_device_array, as_dtype, as_numbers
from frontier.runtime.compile.kernels import C_TYPES
from frontier.runtime.memory import elementwise
from frontier.runtime.values import kind_of

from ..times import TIME, TimeColumn
from .records import FIRST, LAST, NEXT, PREVIOUS, RecordTable
from .table import Table

WEIGHT_COLUMN = "weight"
COUNT = "count"
MULTI = ("last", "sum", "all")
MADE = {"last": (), "sum": (COUNT,), "all": (COUNT, FIRST, LAST)}
"""The columns of edges that `multi_edges` makes."""
COLUMN_DTYPES = tuple(dtype.name for dtype in C_TYPES)
RESERVED = ("weight", "weights", "src", "dst", "edge", "self", "on_existing")
"""Names that mean something else in an update, in a functor or in a table."""


class EdgeData(Table):
    """The columns of a graph's edges, by id, with `dtypes` that start with the weights, if any."""

    holds = "edges with data"

    def __init__(
        self, device: Device, id_dtype: np.dtype, weight_dtype: np.dtype | None, dtypes: Any,
        times: TimeColumn | None = None, multi_edges: str = "last",
    ):  # fmt: skip
        self.multi_edges = multi_edges
        self.times = times
        self.has_replaced = False  # whether edges have had records that are no longer in the columns
        self.warned = threading.Event()  # set once users were warned. Copies share it, so snapshots do not warn again
        of_records = {} if weight_dtype is None else {WEIGHT_COLUMN: weight_dtype}
        if times is not None:
            if isinstance(dtypes, Mapping) and TIME in dtypes:
                raise ValueError(f"edge_data has the name {TIME!r}, the name of the column that time_unit= adds")
            of_records[TIME] = times.dtype
        made = dict(zip(MADE[multi_edges], (np.dtype(np.int64), id_dtype, id_dtype), strict=False))
        for name in (*made, *((NEXT, PREVIOUS) if multi_edges == "all" else ())):
            if isinstance(dtypes, Mapping) and name in dtypes:
                raise ValueError(
                    f"edge_data has the name {name!r}, the name of a column of multi_edges={multi_edges!r}"
                )
        given = _checked_dtypes(dtypes)
        super().__init__(device, id_dtype, of_records | made | given)
        self.records = RecordTable(device, id_dtype, of_records | given) if multi_edges == "all" else None
        self._no_sources, self._no_times = device.xp.empty(0, id_dtype), device.xp.empty(0, np.int64)

    @functools.cached_property
    def links(self) -> tuple[str, ...]:
        """The columns with ids of records."""
        return () if self.records is None else (FIRST, LAST)

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, without weights and links."""
        return tuple(name for name in self.dtypes if name != WEIGHT_COLUMN and name not in self.links)

    @functools.cached_property
    def takes(self) -> tuple[str, ...]:
        """Names of the columns, without weights, for which insertions accept values."""
        return tuple(name for name in self.names if self.multi_edges != "all" or name != COUNT)

    @property
    def weights(self) -> Any:
        """The weight of each edge, or None in graphs without weights."""
        return self.columns.get(WEIGHT_COLUMN)

    # ---- a batch ----------------------------------------------------------------------------------------------------

    def rows(self, data: Mapping[str, Any], function: str = "insert_edges") -> dict[str, Any]:
        """A user's columns, without weights, as arrays of their types. TypeError or ValueError if one is missing,
        unknown or unfit."""
        for name in data:
            if name not in self.takes:
                raise TypeError(f"{function}() got {name}=..., but this graph has {self._described()}")
        for name in self.takes:
            if data.get(name) is None and not (name == COUNT and self.multi_edges == "sum"):
                raise TypeError(f"{function}() needs {name}=..., as this graph has {self._described()}")
        return {name: self._values(name, data[name]) for name in self.takes if data.get(name) is not None}

    def counting_times(self, rows: Mapping[str, Any]) -> tuple[Any, bool]:
        """The times that determine which record of an edge counts, and whether it is the first. Empty if the last
        counts."""
        if self.times is None or TIME not in rows:
            return self._no_times, False
        return rows[TIME], self.times.earliest

    def latest_time(self) -> int | None:
        """The latest time of all edges, or records, or None. O(E) work: the log also has entries of deleted edges."""
        table = self if self.records is None else self.records
        ids = table.used_ids()
        return self.times.bounds(table.columns[TIME][ids]).last if ids.size else None  # type: ignore[union-attr]

    def _values(self, name: str, given: Any) -> Any:
        if name == TIME and self.times is not None:
            return self.times.values(given)
        return as_numbers(self.device, given, name, self.dtypes[name])

    def _described(self) -> str:
        if not self.takes:
            return "edge ids, and no edge data"
        return "the edge data " + ", ".join(f"{name!r} ({self.dtypes[name]})" for name in self.takes)

    @property
    def sources(self) -> Any:
        """One end of each edge by id, which kernels that free ids set to -1. Empty unless edges are logged by time."""
        return self._no_sources if self.times is None else self.times.sources

    def note_replaced(self, src: Any, inserted: int, columns: Mapping[str, Any] | None = None) -> None:
        """Note a batch that gave an edge more than one time, in a graph with times that does not store records.

        Free if no edge did, or an earlier batch did, unless the batch has self-loops. `src` is negative for dropped
        records, `inserted` edges are new, and the column ``"count"`` has the records that each row stands for.
        """
        if self.times is None or self.records is not None or self.has_replaced:
            return
        counts = None if columns is None else columns.get(COUNT)
        try:
            if src.size != inserted and int(places_of_ids(self.device, src).size) > inserted:
                self.has_replaced = True
            elif counts is not None and counts.size:
                self.has_replaced = self.times.bounds(counts).last > 1
        except MemoryError:  # the batch is in the graph already: at worst, a warning comes too much
            self.has_replaced = True

    def newest_records(self, edges: Any) -> tuple[Any, Any]:
        """Offsets and ids of the records of some edges, the newest first, in a graph that stores records."""
        lasts, counts = (elementwise.take(self.device, self.columns[name], edges) for name in (LAST, COUNT))
        return self.records.of(lasts, counts, PREVIOUS)  # type: ignore[union-attr]

    # ---- as part of a graph -----------------------------------------------------------------------------------------

    def copy(self) -> EdgeData:
        """An independent copy, without spare capacity."""
        twin = super().copy()
        twin.times = None if self.times is None else self.times.copy()
        twin.records = None if self.records is None else self.records.copy()
        return twin

    def adopt(self, records: RecordTable) -> None:
        """Use the columns and ids of records as columns and ids of edges."""
        self.columns = {name: records.columns[name] for name in self.dtypes}
        self.top, self.capacity = records.top, records.capacity
        self.free_ids, self.free_count = records.free_ids, records.free_count

    def arrays(self) -> dict[str, Any]:
        """All arrays of files, by their names there: the columns up to `top`, the free ids, and records."""
        arrays = {f"column.{name}": self.columns[name][: self.top] for name in self._stored}
        arrays["free_ids"] = self.free_ids[: self.free_count]
        if self.records is not None:
            used = self.used_ids()
            arrays |= self.records.arrays(self.columns[FIRST][used], self.columns[COUNT][used])
        return arrays

    def array_types(self) -> dict[str, tuple[np.dtype, tuple[int | None, ...]]]:
        """The dtype and shape (None for any size) of each of `arrays`."""
        types = {f"column.{name}": self.dtypes[name] for name in self._stored} | {"free_ids": self.id_dtype}
        types |= {} if self.records is None else self.records.array_types()
        return {name: (dtype, (None,)) for name, dtype in types.items()}

    def set_arrays(self, top: int, arrays: Mapping[str, Any]) -> None:
        """Restore the result of `arrays` of another table, whose arrays may be adopted. Call `link_records`
        afterwards."""
        xp = self.device.xp
        self.top = self.capacity = top
        self.columns = {name: xp.asarray(arrays[f"column.{name}"]) for name in self._stored}
        self.free_ids = xp.asarray(arrays["free_ids"])
        self.free_count = int(self.free_ids.size)
        if self.times is not None:
            self.times.stop()
        if self.records is not None:
            self.records.set_arrays(arrays)

    def check_records(self) -> None:
        """Raise ValueError unless `set_arrays` was given records that each belong to one edge, or are free."""
        if self.records is not None:
            self.records.check(self.columns[COUNT][self.used_ids()], None if self.times is None else TIME)

    def link_records(self) -> None:
        """Link the records of each edge, after `set_arrays`."""
        if self.records is not None:
            used = self.used_ids()
            self.columns[FIRST], self.columns[LAST] = self.records.link(used, self.columns[COUNT][used], self.top)

    @property
    def _stored(self) -> tuple[str, ...]:
        """The columns that files contain."""
        return tuple(name for name in self.dtypes if name not in self.links)

    def used_bytes(self) -> int:
        """Bytes of the entries up to `top`, of the free ids, of the log of times, and of records."""
        logged = 0 if self.times is None else self.times.used_bytes(self.top)
        return super().used_bytes() + logged + (0 if self.records is None else self.records.used_bytes())

    def reserved_bytes(self) -> dict[str, int]:
        """Bytes of each array."""
        sizes = {f"column.{name}": int(column.nbytes) for name, column in self.columns.items()}
        sizes["free_ids"] = int(self.free_ids.nbytes)
        if self.times is not None:
            sizes["arrivals"] = self.times.reserved_bytes()
        return sizes if self.records is None else sizes | self.records.reserved_bytes()

    def plain_bytes(self) -> int:
        """Bytes of the data of all edges and records, without weights of edges, in arrays without gaps."""
        plain = self.size * sum(self.dtypes[name].itemsize for name in self.names)
        return plain if self.records is None else plain + self.records.plain_bytes()


def _checked_dtypes(dtypes: Any) -> dict[str, np.dtype]:
    """The types of the columns that a user asks for."""
    if not isinstance(dtypes, Mapping):
        raise TypeError(f"edge_data must be a dict of names to types, not {kind_of(dtypes)}")
    found = {}
    for name, given in dtypes.items():
        check_name(name)
        dtype = as_dtype(given, f"edge_data[{name!r}]")
        if dtype not in C_TYPES:
            names = ", ".join(str(each) for each in C_TYPES)
            raise TypeError(f"edge_data[{name!r}] must be one of {names}, not {dtype}")
        found[name] = dtype
    return found


def column_arrays(device: Device, columns: Any) -> dict[str, Any]:
    """A user's dict of arrays as arrays of the device, of types that columns can have."""
    if not isinstance(columns, Mapping):
        raise TypeError(f"edge_data must be a dict of names to arrays, not {kind_of(columns)}")
    for name in columns:
        check_name(name)
    return {name: as_device_array(device, values, name) for name, values in columns.items()}


def check_name(name: Any) -> None:
    """Raise unless a column can have this name, which is also a keyword argument."""
    if not isinstance(name, str):
        raise TypeError(f"edge_data must have names that are strings, not {kind_of(name)}")
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise ValueError(f"edge_data has the name {name!r}, which cannot be an argument's name")
    if name in RESERVED:
        raise ValueError(f"edge_data has the reserved name {name!r}")
