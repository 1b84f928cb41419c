"""`VertexNames`: ids for the names of a stream's vertices."""

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
    """Ids for named vertices: account numbers, addresses, users.

    The first name gets id 0, and each new name the next id, or the id of a forgotten name.

    Parameters
    ----------
    dtype : {"int64", "uint64", "str"}, optional
        The type of names, by default the type of the first ones. Integers become int64, except uint64.
    device : {"cpu", "gpu"} or Device, optional
        The device of the names and of returned ids. Names on a GPU are integers. Columns and ids there are not copied.

    Attributes
    ----------
    dtype : str or None
    device : Device
    size : int
        The largest id plus one: the number of vertices that a graph needs.

    See Also
    --------
    Graph : The graph, whose vertices are the ids of the names.

    Notes
    -----
    Columns on another device are copied. Integers are looked up in a hash table, in expected O(1) each, on a GPU in
    parallel with the same ids as on the host. The distinct names of each column of text (found by Arrow, Polars or
    pandas in their own columns) are looked up in a dictionary. Thread-safe.

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
        """Bytes of memory. For text, without the text itself."""
        return 0 if self._table is None else self._table.nbytes

    def __len__(self) -> int:
        """The number of names."""
        return 0 if self._table is None else self.size - len(self._table.free)

    def __repr__(self) -> str:
        return f"Names({len(self):,} names of type {self.dtype}, ids below {self.size:,})"

    # ---- from names to ids ------------------------------------------------------------------------------------------

    def ids(self, names: Any) -> Any:
        """Return the ids of names. New names get new ids.

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
            Names are neither integers nor text, of another type than earlier names, or missing. Nothing has changed.

        See Also
        --------
        find : The ids of known names.
        ids_of_edges : The ids of both ends.

        Examples
        --------
        >>> import frontier as fr
        >>> names = fr.VertexNames()
        >>> names.ids(["ann", "bob", "ann"])
        array([0, 1, 0])
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
        """Return the ids of both ends of edges. New names get ids in order of the edges, each source first.

        Parameters
        ----------
        src, dst : array-like of int or str, shape (n,)

        Returns
        -------
        src, dst : array of int64, shape (n,), on the device of the names

        Raises
        ------
        TypeError, ValueError
            As `ids`, or the lengths differ.

        See Also
        --------
        ids : The ids of one list of names.

        Examples
        --------
        >>> import frontier as fr
        >>> names = fr.VertexNames()
        >>> names.ids_of_edges(["ann", "bob"], ["bob", "eve"])
        (array([0, 1]), array([1, 2]))
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
        """Return the ids of names, -1 for unknown names.

        Parameters
        ----------
        names : array-like of int or str, shape (n,)

        Returns
        -------
        array of int64, shape (n,), on the device of the names

        See Also
        --------
        ids : Give ids to unknown names.
        id_of : The id of one name.

        Examples
        --------
        >>> import frontier as fr
        >>> names = fr.VertexNames()
        >>> names.ids(["ann", "bob", "ann"])
        array([0, 1, 0])
        >>> names.find(["bob", "eve"])
        array([ 1, -1])
        """
        column = self._column(names, "names")
        with self._lock:
            if self._table is None or not column.size:
                return full(self.device, column.size, -1, np.int64)
            return self._table.find(_checked(self._table, column, "names"))

    def id_of(self, name: Any) -> int:
        """Return the id of one name.

        Raises
        ------
        KeyError
            The name is unknown.

        See Also
        --------
        find : The ids of many names.

        Examples
        --------
        >>> import frontier as fr
        >>> names = fr.VertexNames()
        >>> names.ids(["ann", "bob", "ann"])
        array([0, 1, 0])
        >>> names.id_of("bob")
        1
        """
        found = int(self.find([name])[0])
        if found < 0:
            raise KeyError(name)
        return found

    def __contains__(self, name: Any) -> bool:
        return bool(self.find([name])[0] >= 0)

    # ---- from ids to names ------------------------------------------------------------------------------------------

    def __getitem__(self, ids: Any) -> Any:
        """Return the name of an id, or an array with the names of several ids.

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

        See Also
        --------
        find : The ids of names.

        Examples
        --------
        >>> import frontier as fr
        >>> names = fr.VertexNames()
        >>> names.ids(["ann", "bob", "ann"])
        array([0, 1, 0])
        >>> names.has_name([0, 5])
        array([ True, False])
        """
        given = self._ids(ids)
        with self._lock:
            inside = (given >= 0) & (given < self.size)
            if self._table is not None:
                inside[inside] = self._table.has_name(given[inside])
            return inside

    # ---- changes ----------------------------------------------------------------------------------------------------

    def grow(self, graph: BaseDynamicGraph, size: int | None = None) -> None:
        """Give a graph a vertex for each id with a name: insert new ones and deleted ones.

        Parameters
        ----------
        graph : DynamicGraph
        size : int, optional
            Only for ids below this. By default for all.

        See Also
        --------
        DynamicGraph.insert_vertices : Add vertices without names.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> names = fr.VertexNames()
        >>> names.ids(["ann", "bob", "ann"])
        array([0, 1, 0])
        >>> graph = SlabGraph(0, device="cpu")
        >>> names.grow(graph)
        >>> graph.num_vertices
        2
        """
        size = self.size if size is None else size
        missing = np.arange(graph.num_vertices, size)
        deleted = _deleted_ids(graph, size)
        if deleted.size:
            missing = np.concatenate([deleted[self.device.to_host(self.has_name(deleted))], missing])
        if missing.size:
            graph.insert_vertices(missing)

    def forget(self, ids: Any) -> None:
        """Forget the names of vertices, and reuse their ids for new names.

        The graph does not change. Delete the vertices' edges first, or a new name inherits them.

        Parameters
        ----------
        ids : array-like of int, shape (n,)

        Raises
        ------
        IndexError
            An id has no name. Nothing has changed.

        See Also
        --------
        ids : Give ids to names.

        Examples
        --------
        >>> import frontier as fr
        >>> names = fr.VertexNames()
        >>> names.ids(["ann", "bob", "ann"])
        array([0, 1, 0])
        >>> names.forget([0])
        >>> names.ids(["eve"])  # reuses the id
        array([0])
        """
        given = self.device.xp.unique(self._ids(ids))
        with self._lock:
            self._check_named(given)
            if given.size:
                self._table.forget(given)

    # ---- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all names to a file, atomically. Its name may have any ending.

        See Also
        --------
        load : Read the file.
        """
        with self._lock:
            arrays = {} if self._table is None else self._table.arrays()
            with atomic_file(path) as file:
                np.savez(file, dtype=np.array(self.dtype or ""), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: str | Device = "cpu") -> VertexNames:
        """Load names written by `save`, from any device, to `device`. Text is always on the host.

        Raises
        ------
        ValueError
            The file contains no names, or is damaged.

        See Also
        --------
        save : Write the file.

        Examples
        --------
        >>> import os, tempfile
        >>> import frontier as fr
        >>> names = fr.VertexNames()
        >>> names.ids(["ann", "bob", "ann"])
        array([0, 1, 0])
        >>> path = os.path.join(tempfile.mkdtemp(), "names")
        >>> names.save(path)
        >>> fr.VertexNames.load(path).id_of("bob")
        1
        """
        try:
            dtype, arrays = _read(path)
            found = cls(dtype or None, device="cpu" if dtype == "str" else device)
            if dtype:
                _check_ids(arrays["ids"], arrays["free"])
                found._table.restore(**arrays)
        except (ValueError, KeyError, EOFError, NotImplementedError, OverflowError, zipfile.BadZipFile) as error:
            raise ValueError(f"{os.fspath(path)} contains no names: {error}") from None
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
        """Return a user's column of names, with integers on the device."""
        column = as_names(values, name, self.device)
        if not self.device.is_gpu:
            return column
        if isinstance(column, Texts):
            raise TypeError(f"{name} contains text, but names on a GPU are integers: make them with device='cpu'")
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
        raise TypeError(f"{name} must contain {kinds[0]}, as the other names do, not {kinds[1]}")
    if column.dtype == table.dtype:
        return column
    wrong = column[column < 0] if table.dtype == "uint64" else column[column > np.uint64(np.iinfo(np.int64).max)]
    if wrong.size:
        raise TypeError(f"{name} contains {wrong[0]}, which is no {table.dtype}, as the other names are")
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
    raise ValueError("it does not specify the type of names")


def _check_ids(ids: np.ndarray, free: np.ndarray) -> None:
    """Raise ValueError unless these are all ids below some number, each once."""
    both = np.concatenate([ids, free])
    if both.dtype != np.int64 or not np.array_equal(np.sort(both), np.arange(both.size)):
        raise ValueError("its ids are not those below some number")
