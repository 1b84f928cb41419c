"""`Result`: the base class of all results."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import numpy as np

import frontier as fr

ENDS, PREDECESSOR = ("vertex", "source", "src", "dst"), "predecessor"
"""Columns of data frames that contain vertices, and one in which -1 stands for none."""


class Result:
    """A result: a frozen dataclass whose arrays, one entry per vertex or edge, are on the graph's device.

    Results can be copied and pickled. Pickling copies GPU arrays to the host. Loading copies them back if a GPU exists,
    and returns NumPy arrays otherwise.

    See Also
    --------
    BFSResult : An example.
    """

    def __repr__(self) -> str:
        """Numbers, and the types and shapes of arrays: their contents may be on a GPU."""
        return fr.advanced.display.fields_text(type(self).__name__, self._fields())

    def _repr_html_(self) -> str:
        return fr.advanced.display.html_table(type(self).__name__, self._fields())

    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[Any, ...]:
        held = self._fields()
        on_gpu = [name for name, value in held.items() if hasattr(value, "__cuda_array_interface__")]
        held |= {name: held[name].get() for name in on_gpu}
        return _restored, (type(self), held, on_gpu)

    def to_dataframe(
        self, names: fr.VertexNames | None = None, *, library: fr.interchange.FrameLibrary | None = None
    ) -> Any:  # fmt: skip
        """The arrays as columns of a data frame: one row per edge if it has `src` and `dst`, else one per vertex.

        Results for several sources have one row per source and vertex. Tables, such as counts of motifs, have one row
        per cell.

        Parameters
        ----------
        names : VertexNames, optional
            Names replace ids in the columns ``vertex``, ``source``, ``src``, ``dst`` and ``predecessor``. Vertices
            without a name are left out. The frame is then one of pandas by default.
        library : {"pandas", "polars", "pyarrow", "cudf"}, optional
            The library of the frame. By default pandas, or cuDF, if it is installed, for arrays on a GPU, without a
            copy to the host.

        Returns
        -------
        DataFrame
            One of Dask for a graph on the workers of a Dask cluster: each worker makes a partition, and no rows go
            through the program.

        Raises
        ------
        ImportError
            The library is not installed.
        TypeError
            `names` is no `VertexNames`.
        ValueError
            The result has no arrays, or `library` is unknown, or given for a frame of Dask.
        """
        fr.advanced.arguments.check_vertex_names(names)
        return fr.interchange.data_frame(self._columns(names), library)

    def _columns(self, names: fr.VertexNames | None = None, share: tuple[int, int] = (0, 1)) -> dict[str, Any]:
        """The columns of `to_dataframe`. Rows are cut into n pieces in order, and `share` (i, n) selects piece i."""
        held = self._fields()
        columns = {name: value for name, value in held.items() if getattr(value, "ndim", 0) == 1}
        tables = {name: value for name, value in held.items() if getattr(value, "ndim", 0) == 2}
        if not columns and not tables:
            raise ValueError(f"this {type(self).__name__} has no arrays for columns")
        some = next(iter((columns or tables).values()))
        on_gpu = hasattr(some, "get")
        xp = importlib.import_module("cupy" if on_gpu else "numpy")
        if not columns:
            row, column = xp.indices(some.shape) + 1
            columns = {name: value.ravel() for name, value in {"row": row, "column": column, **tables}.items()}
        elif "sources" in columns:
            sources, vertices = next(iter(tables.values())).shape
            columns = {"source": xp.repeat(some, vertices), "vertex": xp.tile(xp.arange(vertices), sources)}
            columns |= {name: value.ravel() for name, value in tables.items()}
        elif "src" not in columns:
            columns = {"vertex": xp.arange(some.size), **columns}
        part, parts = share
        size = next(iter(columns.values())).size
        rows = slice(size * part // parts, size * (part + 1) // parts)
        columns = {name: column[rows] for name, column in columns.items()}
        if names is None or columns.keys().isdisjoint(ENDS):
            return columns
        return _with_names({name: column.get() if on_gpu else column for name, column in columns.items()}, names)


def _with_names(columns: dict[str, Any], names: fr.VertexNames) -> dict[str, Any]:
    """Columns with names instead of ids, without rows of unnamed vertices."""
    ids = {name: columns[name] for name in ENDS if name in columns}
    to_host = names.device.to_host
    rows = np.logical_and.reduce([to_host(names.has_name(column)) for column in ids.values()])
    columns = {name: column[rows] for name, column in columns.items()}
    named: dict[str, Any] = {name: to_host(names[columns[name]]) for name in ids}
    if PREDECESSOR in columns:
        known = to_host(names.has_name(columns[PREDECESSOR]))
        named[PREDECESSOR] = np.full(known.size, None)
        named[PREDECESSOR][known] = to_host(names[columns[PREDECESSOR][known]])
    return {name: named.get(name, column) for name, column in columns.items()}


def _restored(kind: type[Result], held: dict[str, Any], on_gpu: list[str]) -> Result:
    if fr.gpu_available():
        for name in on_gpu:
            held[name] = importlib.import_module("cupy").asarray(held[name])
    return kind(**held)
