"""`VertexNames`: ids for what a stream calls its vertices."""

from __future__ import annotations

import os
import threading
import zipfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.invariants import require
from frontier.core.stored_arrays import entries_of, read_array
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids
from frontier.runtime.atomic_file import atomic_file
from frontier.runtime.memory.elementwise import converted, full

from .columns import Texts, as_names
from .texts import TextNames

if TYPE_CHECKING:
    from frontier.core.base import BaseDynamicGraph

    from .integers import IntegerNames

DTYPES = ("int64", "uint64", "str")


class VertexNames:
    """The ids of vertices that have names: account numbers, addresses, users.

    A graph numbers its vertices 0, 1, 2, ...; these are the ids. The first name gets the id 0, and each that was not
    there before the next one, or one whose name was forgotten.

    Parameters
    ----------
    dtype : {"int64", "uint64", "str"}, optional
        What names are; by default what the first ones are, which makes integers but those of 64 bits without a sign
        int64.
    device : {"cpu", "gpu"} or Device, optional
        Where names are kept, and where ids are returned. On a GPU, names are integers: columns that are there are not
        copied, nor are their ids when a graph takes them.

    Attributes
    ----------
    dtype : str or None
    device : Device
    size : int
        One more than the largest id that was given: how many vertices a graph needs.

    Notes
    -----
    Columns that are elsewhere than the names are copied. Integers are found in a hash table, in expected O(1) each; on
    a GPU all at once, and new ones are numbered as on the host. Of text the distinct names of each column are found
    first (by Arrow, Polars or pandas, if the column is theirs), and looked up in a dictionary. Safe to use from several
    threads.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> names, graph = fr.VertexNames(), SlabGraph(device="cpu")
    >>> src, dst = names.ids_of_edges(["ada", "bob", "eve"], ["bob", "cy", "dan"])
    >>> names.grow(graph)
    >>> graph.insert_edges(src, dst).inserted
    3
    >>> names[graph.neighbors(names.id_of("bob"))].tolist()
    ['ada', 'cy']
    """

    def __init__(self, dtype: str | None = None, *, device: str | Device = "cpu"):
        if dtype not in (None, *DTYPES):
            raise ValueError(f"dtype must be {', '.join(map(repr, DTYPES))} or None, not {dtype!r}")
        self.device = resolve_device(device)
        if dtype == "str" and self.device.is_gpu:
            raise ValueError("device must be 'cpu' for names that are text")
        self._lock = threading.RLock()
        self._table: Any = None if dtype is None else self._table_of(dtype)

    @property
    def dtype(self) -> str | None:
        return None if self._table is None else self._table.dtype

    @property
    def size(self) -> int:
        return 0 if self._table is None else self._table.size

    @property
    def nbytes(self) -> int:
        """Bytes of memory; of text, without the text itself."""
        return 0 if self._table is None else self._table.nbytes

    def __len__(self) -> int:
        """How many names there are."""
        return 0 if self._table is None else self.size - len(self._table.free)

    def __repr__(self) -> str:
        return f"Names({len(self):,} names of type {self.dtype}, ids below {self.size:,})"

    # ---- from names to ids ------------------------------------------------------------------------------------------

    def ids(self, names: Any) -> Any:
        """The ids of names, with a new one for each that has none.

        Parameters
        ----------
        names : array-like of int or str, shape (n,)
            An array, a list, a column of pandas, Polars or Arrow.

        Returns
        -------
        array of int64, shape (n,), on the device of the names

        Raises
        ------
        TypeError
            They are neither integers nor text, not of the kind of the names before, or missing somewhere; nothing has
            changed.
        """
        column = self._column(names, "names")
        if not column.size:
            return self.device.xp.empty(0, np.int64)
        with self._lock:
            table = self._table or self._table_for(column)
            column = _checked(table, column, "names")
            self._table = table
            return table.assign(column)

    def ids_of_edges(self, src: Any, dst: Any) -> tuple[Any, Any]:
        """The ids of both ends of edges, where new ones are given in order of the edges.

        So an edge needs no id beyond those that edges before it have, and one or two.

        Parameters
        ----------
        src, dst : array-like of int or str, shape (n,)

        Returns
        -------
        src, dst : array of int64, shape (n,), on the device of the names

        Raises
        ------
        TypeError, ValueError
            As `ids`; or they are not of the same length.
        """
        ends = self._column(src, "src"), self._column(dst, "dst")
        if ends[0].size != ends[1].size:
            raise ValueError(f"src and dst must have the same length, not {ends[0].size} and {ends[1].size}")
        if not ends[0].size:
            return self.device.xp.empty(0, np.int64), self.device.xp.empty(0, np.int64)
        with self._lock:
            table = self._table or self._table_for(ends[0])
            first, second = _checked(table, ends[0], "src"), _checked(table, ends[1], "dst")
            self._table = table
            return table.assign_ends(first, second)

    def find(self, names: Any) -> Any:
        """The ids of names, -1 for those that have none.

        Parameters
        ----------
        names : array-like of int or str, shape (n,)

        Returns
        -------
        array of int64, shape (n,), on the device of the names
        """
        column = self._column(names, "names")
        with self._lock:
            if self._table is None or not column.size:
                return full(self.device, column.size, -1, np.int64)
            return self._table.find(_checked(self._table, column, "names"))

    def id_of(self, name: Any) -> int:
        """The id of one name.

        Raises
        ------
        KeyError
            It has none.
        """
        found = int(self.find([name])[0])
        if found < 0:
            raise KeyError(name)
        return found

    def __contains__(self, name: Any) -> bool:
        return bool(self.find([name])[0] >= 0)

    # ---- from ids to names ------------------------------------------------------------------------------------------

    def __getitem__(self, ids: Any) -> Any:
        """The name of an id, or an array with those of several.

        Raises
        ------
        IndexError
            An id has no name.
        """
        if isinstance(ids, int | np.integer):
            return self.device.to_host(self[[ids]])[0]
        given = self._ids(ids)
        with self._lock:
            self._check_named(given)
            return self.device.xp.empty(0, np.int64) if self._table is None else self._table.names(given)

    def has_name(self, ids: Any) -> Any:
        """Return whether each id has a name.

        Parameters
        ----------
        ids : array-like of int, shape (n,)

        Returns
        -------
        array of bool, shape (n,), on the device of the names
        """
        given = self._ids(ids)
        with self._lock:
            inside = (given >= 0) & (given < self.size)
            if self._table is not None:
                inside[inside] = self._table.has_name(given[inside])
            return inside

    # ---- changes ----------------------------------------------------------------------------------------------------

    def grow(self, graph: BaseDynamicGraph, size: int | None = None) -> None:
        """Have a graph a vertex for each id that has a name: new ones, and those that were deleted under another name.

        Parameters
        ----------
        graph : DynamicGraph
        size : int, optional
            Only for ids below this; by default for all.
        """
        size = self.size if size is None else size
        missing = np.arange(graph.num_vertices, size)
        deleted = _deleted_ids(graph, size)
        if deleted.size:
            missing = np.concatenate([deleted[self.device.to_host(self.has_name(deleted))], missing])
        if missing.size:
            graph.insert_vertices(missing)

    def forget(self, ids: Any) -> None:
        """Forget the names of vertices: their ids are given to names that are new.

        The graph is not changed; delete the vertices' edges before, which would else be those of another name.

        Parameters
        ----------
        ids : array-like of int, shape (n,)

        Raises
        ------
        IndexError
            One has no name; nothing has changed.
        """
        given = self.device.xp.unique(self._ids(ids))
        with self._lock:
            self._check_named(given)
            if given.size:
                self._table.forget(given)

    # ---- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all names to a file, atomically; its name may end in anything."""
        with self._lock:
            arrays = {} if self._table is None else self._table.arrays()
            with atomic_file(path) as file:
                np.savez(file, dtype=np.array(self.dtype or ""), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: str | Device = "cpu") -> VertexNames:
        """Names that `save` has written, on this device, wherever they were; text is on the host.

        Raises
        ------
        ValueError
            The file holds something else, or is damaged.
        """
        try:
            dtype, arrays = _read(path)
            found = cls(dtype or None, device="cpu" if dtype == "str" else device)
            if dtype:
                _check_ids(arrays["ids"], arrays["free"])
                found._table.restore(**arrays)
        except (ValueError, KeyError, EOFError, NotImplementedError, OverflowError, zipfile.BadZipFile) as error:
            raise ValueError(f"{os.fspath(path)} holds no names: {error}") from None
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "table": self._table}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._lock, self.device, self._table = threading.RLock(), state["device"], state["table"]

    def _check_named(self, ids: np.ndarray) -> None:
        without = ~self.has_name(ids)
        if without.any():
            raise IndexError(f"the id {int(ids[int(without.argmax())])} has no name")

    def _column(self, values: Any, name: str) -> Any:
        """Return a user's column of names; integers on the device."""
        column = as_names(values, name, self.device)
        if not self.device.is_gpu:
            return column
        if isinstance(column, Texts):
            raise TypeError(f"{name} holds text, but names on a GPU are integers: make them with device='cpu'")
        return self.device.xp.asarray(column)

    def _ids(self, ids: Any) -> Any:
        return converted(self.device, as_ids(self.device, ids, "ids"), np.int64)

    def _table_of(self, dtype: str) -> IntegerNames | TextNames:
        if dtype == "str":
            return TextNames()
        from .integers import GpuIntegerNames, IntegerNames  # these load kernels: not before there are names

        return (GpuIntegerNames if self.device.is_gpu else IntegerNames)(dtype, self.device)

    def _table_for(self, column: Any) -> IntegerNames | TextNames:
        return self._table_of("str" if isinstance(column, Texts) else column.dtype.name)


def _deleted_ids(graph: BaseDynamicGraph, size: int) -> np.ndarray:
    """Return the ids below `size` whose vertices were deleted, on the host."""
    if graph.in_parts:
        ids = np.arange(min(size, graph.num_vertices))
        return ids[~graph.device.to_host(graph.has_vertices(ids))]
    absent = graph.store.absent
    return np.empty(0, np.int64) if absent is None else graph.device.to_host(graph.xp.flatnonzero(absent[:size]))


def _checked(table: IntegerNames | TextNames, column: np.ndarray | Texts, name: str) -> Any:
    """Return a column that is not empty in the form of the table."""
    if isinstance(column, Texts) or isinstance(table, TextNames):
        if isinstance(column, Texts) and isinstance(table, TextNames):
            return column
        kinds = ("text", "integers") if isinstance(table, TextNames) else ("integers", "text")
        raise TypeError(f"{name} must hold {kinds[0]}, as the other names do, not {kinds[1]}")
    if column.dtype == table.dtype:
        return column
    wrong = column[column < 0] if table.dtype == "uint64" else column[column > np.uint64(np.iinfo(np.int64).max)]
    if wrong.size:
        raise TypeError(f"{name} holds {wrong[0]}, which is no {table.dtype}, as the other names are")
    return column.astype(table.dtype)


ARRAYS = {"ids": np.int64, "free": np.int64, "names": np.int64, "text": np.uint8, "ends": np.int64}
"""The types of the arrays of tables."""


def _read(path: str | os.PathLike[str]) -> tuple[str, dict[str, np.ndarray]]:
    """Return the dtype in a file, "" if there are no names yet, and the arrays of its table."""
    with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
        entries = entries_of(archive, os.fstat(file.fileno()).st_size)
        dtype = _read_dtype(archive, entries["dtype.npy"])
        wanted = {"": (), "str": ("ids", "free", "text", "ends")}.get(dtype, ("ids", "free", "names"))
        given = {name.removesuffix(".npy") for name in entries}
        require(given == {"dtype", *wanted}, f"it has the arrays {sorted(given)}")
        arrays = {
            name: read_array(archive, entries[f"{name}.npy"], name, np.dtype(ARRAYS[name]), (None,)) for name in wanted
        }
    return dtype, arrays


def _read_dtype(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> str:
    for dtype in ("", *DTYPES):
        with suppress(ValueError):  # another dtype, whose text is longer or shorter
            if read_array(archive, entry, "dtype", np.dtype(f"<U{max(len(dtype), 1)}"), ()) == dtype:
                return dtype
    raise ValueError("it does not say what names are")


def _check_ids(ids: np.ndarray, free: np.ndarray) -> None:
    """Raise ValueError unless these are all ids below some number, each once."""
    both = np.concatenate([ids, free])
    if both.dtype != np.int64 or not np.array_equal(np.sort(both), np.arange(both.size)):
        raise ValueError("its ids are not those below some number")
