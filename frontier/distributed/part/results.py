"""Results that stay on the workers of a Dask cluster until a program asks for their arrays.

The program has their numbers, and the types and shapes of their arrays. An array is copied when it is read. The rows of
a data frame go from the workers to Dask, a partition from each, and never through the program.

Every partition has the whole arrays of a result. The rows of a table are cut into one piece per partition, in order, so
frames are sorted by vertex as on one device.
"""

from __future__ import annotations

import dataclasses
import functools
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.interchange import data_frame
from frontier.names.arguments import check_vertex_names

from ..exchange.agreement import all_or_none

if TYPE_CHECKING:
    from ..engines import Engine, Host


OBJECTS = np.dtype(object)


class KeptArray(NamedTuple):
    """The type and shape of an array that stays on the workers."""

    dtype: np.dtype
    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        return len(self.shape)


class Kept(NamedTuple):
    """A result that stays on the workers, as the first one describes it: `values` has a `KeptArray` for each array."""

    kind: type
    values: dict[str, Any]


class KeptResult:
    """The first base of a class of results whose arrays stay on the workers until they are read."""

    _kind: type
    _engine: Engine
    _key: int
    _known: dict[str, Any]

    def _read(self, name: str) -> Any:
        """Return a field. An array is copied from the first worker and cached."""
        value = self._known[name]
        if isinstance(value, KeptArray):
            value = self._engine.run_alike(_read, self._key, name)[0]
        self.__dict__[name] = value
        return value

    def _shown(self) -> dict[str, Any]:
        """Return the values that are known without asking the workers."""
        return {name: self.__dict__.get(name, value) for name, value in self._known.items()}

    def __repr__(self) -> str:
        return _described(self._kind, self._shown()).__repr__()

    def _repr_html_(self) -> str:
        return _described(self._kind, self._shown())._repr_html_()

    def __reduce__(self) -> Any:
        """Pickle a result of one device, with all arrays."""
        return _described(self._kind, {name: getattr(self, name) for name in self._known}).__reduce__()

    def to_dataframe(self, names: Any = None, *, library: str | None = None) -> Any:
        """Return the result as a frame of Dask, with a partition for each worker, which has it.

        Raises
        ------
        ImportError
            Dask's data frames are not installed.
        TypeError
            `names` is no `VertexNames`.
        ValueError
            The result has no arrays, or `library` is not pandas.
        """
        check_vertex_names(names)
        check_dask_library(library)
        key = self._engine.new_key()
        return self._engine.frame(key, *self._engine.run_alike(_make_table, key, self._key, names)[0])


def check_dask_library(library: str | None) -> None:
    if library not in (None, "pandas"):
        raise ValueError(f"library must be None for a distributed graph, whose frames are Dask's, not {library!r}")


def keep(host: Host, key: int | None, result: Any) -> Any:
    """On a worker: store a result with arrays under a key if it can be a data frame, and describe it. Return any other
    result unchanged."""
    if key is None or not (dataclasses.is_dataclass(result) and hasattr(result, "_columns")):
        return result
    values = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    arrays = {name: value for name, value in values.items() if getattr(value, "ndim", 0)}
    if not arrays:
        return result
    host.objects[key] = result
    return Kept(type(result), values | {name: KeptArray(a.dtype, a.shape) for name, a in arrays.items()})


def kept_result(engine: Engine, key: int | None, found: Any) -> Any:
    """In the program: return the result that workers have stored under a key. Return any other result unchanged."""
    if not isinstance(found, Kept):
        return found
    made = object.__new__(_class_of(found.kind))
    made.__dict__.update(_kind=found.kind, _engine=engine, _key=key, _known=found.values)
    weakref.finalize(made, engine.abandoned.append, key).atexit = False
    return made


@functools.cache
def _class_of(kind: type) -> type:
    """Return the class of stored results of a class."""
    fields = {field.name: _Field(field.name) for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    return type(kind.__name__, (KeptResult, kind), {**fields, "__module__": kind.__module__, "__doc__": kind.__doc__})


class _Field:
    """A field that is read from the workers once: an attribute of the object comes before it."""

    def __init__(self, name: str):
        self._name = name

    def __get__(self, result: Any, kind: type) -> Any:
        return self if result is None else result._read(self._name)


def _described(kind: type, values: dict[str, Any]) -> Any:
    """Return a result of a class with some values."""
    made = object.__new__(kind)
    made.__dict__.update(values)
    return made


# ---- on workers -----------------------------------------------------------------------------------------------------


def _read(host: Host, key: int, name: str) -> Any:
    return host.comm.device.to_host(getattr(host.objects[key], name)) if host.comm.rank == 0 else None


def _make_table(host: Host, key: int, result: int, names: Any) -> Any:
    """Store this partition's rows of a result as a frame of pandas."""
    comm = host.comm
    share = comm.rank, comm.size
    return keep_rows(host, key, lambda: data_frame(host.objects[result]._columns(names, share), "pandas"))


def keep_rows(host: Host, key: int, make: Any) -> tuple[Any, list[int]]:
    """Store this partition's rows of a table, which `make` returns as a frame of pandas, numbered by partition.

    Returns a frame with the columns and no rows, and the number of rows of each partition.
    """
    rows = all_or_none(host, make)
    described = host.comm.gather_objects((len(rows), rows.dtypes.to_dict()))
    counts = [count for count, _ in described]
    start = sum(counts[: host.comm.rank])
    # pandas derives the type of a column from its texts, and a partition may have none.
    found = [dtypes for _, dtypes in described]
    rows = rows.astype({
        name: next((known[name] for known in found if known[name] != OBJECTS), known_here)
        for name, known_here in rows.dtypes.items()
    })  # fmt: skip
    rows.index = type(rows.index)(start, start + len(rows))
    host.objects[key] = rows
    return rows.iloc[:0], counts
