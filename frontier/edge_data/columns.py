"""`EdgeData`: the columns of a graph's edges, and which ids are free."""

from __future__ import annotations

import copy
import functools
import keyword
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import as_device_array, as_dtype, as_numbers
from ..runtime import Device, Kernels, growable, load_kernels
from ..runtime.kernels import C_TYPES
from ..temporal import TIME, TimeColumn
from ..values import kind_of

WEIGHT_COLUMN = "weight"
COUNT = "count"
MULTI = ("last", "sum")
COLUMN_DTYPES = tuple(dtype.name for dtype in C_TYPES)
RESERVED = ("weight", "weights", "src", "dst", "edge", "self", "on_existing")
"""Names that mean something else in an update, in a functor or in a table."""


class EdgeData:
    """The columns of a graph's edges, by id.

    Attributes
    ----------
    dtypes : dict of str to dtype
        Of the columns, that of the weights first if the graph has any.
    columns : dict of str to array, shape (capacity,)
        Entries of ids that no edge has may be anything.
    capacity : int
        Ids below have an entry in all columns.
    top : int
        All ids below are those of edges, or free.
    free_ids : array of the graph's vertex dtype
        The first `free_count` are the ids below `top` that are free; those that were freed last are used first.
    times : TimeColumn or None
        What the column ``"time"`` means, in a graph with times.
    multi : {"last", "sum"}
        What several records of an edge mean: with ``"sum"``, the column ``"count"`` says how many there were.
    """

    def __init__(
        self, device: Device, id_dtype: np.dtype, weight_dtype: np.dtype | None, dtypes: Any,
        times: TimeColumn | None = None, multi: str = "last",
    ):  # fmt: skip
        self.device = device
        self.multi = multi
        self.id_dtype = id_dtype
        self.dtypes = {} if weight_dtype is None else {WEIGHT_COLUMN: weight_dtype}
        self.times = times
        if times is not None:
            if isinstance(dtypes, Mapping) and TIME in dtypes:
                raise ValueError(f"edge_data has the name {TIME!r}, which is that of the column that time= makes")
            self.dtypes[TIME] = times.dtype
        if multi == "sum":
            if isinstance(dtypes, Mapping) and COUNT in dtypes:
                raise ValueError(f"edge_data has the name {COUNT!r}, which is that of the column of multi='sum'")
            self.dtypes[COUNT] = np.dtype(np.int64)
        self.dtypes |= _checked_dtypes(dtypes)
        xp = device.xp
        self.columns = {name: xp.empty(0, dtype) for name, dtype in self.dtypes.items()}
        self.capacity = self.top = self.free_count = 0
        self.free_ids = xp.empty(0, id_dtype)

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """Of the columns other than the weights."""
        return tuple(name for name in self.dtypes if name != WEIGHT_COLUMN)

    @property
    def weights(self) -> Any:
        """The weight of each edge; None in graphs without weights."""
        return self.columns.get(WEIGHT_COLUMN)

    @functools.cached_property
    def kernels(self) -> Kernels:
        """The kernels for ids of this type."""
        return load_kernels("frontier.edge_data", self.device, {"VID": self.id_dtype})

    # ---- a batch ----------------------------------------------------------------------------------------------------

    def rows(self, data: Mapping[str, Any], function: str = "insert_edges") -> dict[str, Any]:
        """What a user gives for the columns other than the weights, as arrays of their types.

        Raises
        ------
        TypeError, ValueError
            A column is missing, or there is none of a name, or the values do not fit its type.
        """
        for name in data:
            if name not in self.names:
                raise TypeError(f"{function}() got {name}=..., but this graph has {self._described()}")
        for name in self.names:
            if data.get(name) is None and not (name == COUNT and self.multi == "sum"):
                raise TypeError(f"{function}() needs {name}=..., as this graph has {self._described()}")
        return {name: self._values(name, data[name]) for name in self.names if data.get(name) is not None}

    def _values(self, name: str, given: Any) -> Any:
        if name == TIME and self.times is not None:
            return self.times.values(given)
        return as_numbers(self.device, given, name, self.dtypes[name])

    def _described(self) -> str:
        if not self.names:
            return "edge ids, and no edge data"
        return "the edge data " + ", ".join(f"{name!r} ({self.dtypes[name]})" for name in self.names)

    # ---- ids --------------------------------------------------------------------------------------------------------

    def reserve(self, count: int) -> None:
        """Have entries for so many more edges. Arrays may move, even if it fails.

        Raises
        ------
        MemoryError
            There is no memory, or there are not as many ids; all ids and what they hold stay as they were.
        """
        wanted = self.top + max(count - self.free_count, 0)
        if wanted <= self.capacity:
            return
        most = int(np.iinfo(self.id_dtype).max)
        if wanted > most:
            raise MemoryError(f"{wanted} edges with data are more than {self.id_dtype} ids; use vertex_dtype='int64'")
        size = min(max(wanted, self.capacity + self.capacity // 4), most)
        for name, column in self.columns.items():
            self.columns[name] = growable.grow(self.device, column, size)
        self.capacity = size

    def reserve_free(self, count: int) -> None:
        """Have room for so many more free ids."""
        size = self.free_count + count
        if size > self.free_ids.size:
            self.free_ids = growable.grow(self.device, self.free_ids, max(size, self.free_ids.size * 5 // 4))

    def take(self, count: int) -> None:
        """So many ids, the next to be used, are those of edges now."""
        reused = min(count, self.free_count)
        self.free_count -= reused
        self.top += count - reused

    def give_back(self, count: int) -> None:
        """So many ids, written behind the free ones, are free now."""
        if self.times is not None:
            self.times.forget(self.free_ids[self.free_count : self.free_count + count])
        self.free_count += count

    def write(self, ids: Any, rows: Mapping[str, Any]) -> None:
        """Store the values of records by their ids; those below 0 are skipped. Allocates nothing."""
        for name, values in rows.items():
            column, width = self.columns[name], self.dtypes[name].itemsize
            if not self.device.is_gpu:  # kernels know three types of values: those of one width share one
                values, column = values.view(f"u{width}"), column.view(f"u{width}")
            self.kernels.write_column(int(ids.size), ids, values, column, width)

    # ---- as part of a graph -----------------------------------------------------------------------------------------

    def copy(self) -> EdgeData:
        """An independent copy, without room to grow."""
        twin = copy.copy(self)
        twin.times = None if self.times is None else self.times.copy()
        twin.set_arrays(self.top, {name: array.copy() for name, array in self.arrays().items()})
        return twin

    def arrays(self) -> dict[str, Any]:
        """All that it holds as arrays, by their names in files: the columns up to `top`, and the free ids."""
        columns = {f"column.{name}": column[: self.top] for name, column in self.columns.items()}
        return columns | {"free_ids": self.free_ids[: self.free_count]}

    def array_types(self) -> dict[str, tuple[np.dtype, tuple[int | None, ...]]]:
        """The dtype and shape (None for any size) of each of `arrays`."""
        types = {f"column.{name}": dtype for name, dtype in self.dtypes.items()} | {"free_ids": self.id_dtype}
        return {name: (dtype, (None,)) for name, dtype in types.items()}

    def set_arrays(self, top: int, arrays: Mapping[str, Any]) -> None:
        """Be what `arrays` of another says, whose arrays may be kept."""
        xp = self.device.xp
        self.top = self.capacity = top
        self.columns = {name: xp.asarray(arrays[f"column.{name}"]) for name in self.dtypes}
        self.free_ids = xp.asarray(arrays["free_ids"])
        self.free_count = int(self.free_ids.size)
        if self.times is not None:
            self.times.stop()

    def used_bytes(self) -> int:
        """Bytes of the entries up to `top`, of the free ids, and of the log of times."""
        logged = 0 if self.times is None else self.times.reserved_bytes()
        return logged + sum(int(array.nbytes) for array in self.arrays().values())

    def reserved_bytes(self) -> dict[str, int]:
        """Bytes of each array."""
        columns = {f"column.{name}": int(column.nbytes) for name, column in self.columns.items()}
        logged = {} if self.times is None else {"arrivals": self.times.reserved_bytes()}
        return columns | {"free_ids": int(self.free_ids.nbytes)} | logged


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
    """Raise unless a column can have this name: it is that of a keyword argument."""
    if not isinstance(name, str):
        raise TypeError(f"edge_data must have names that are strings, not {kind_of(name)}")
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise ValueError(f"edge_data has the name {name!r}, which cannot be that of an argument")
    if name in RESERVED:
        raise ValueError(f"edge_data has the name {name!r}, which has a meaning of its own")
