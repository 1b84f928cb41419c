"""Graphs in files and in pickles: their arrays as they lie in memory, and a header that describes them.

A file is a ZIP archive without compression, which ``numpy.load`` reads as well: ``header.json``, and a ``.npy`` for
each array. The archive's comment, its last bytes, contains a hash of all bytes before it, so a truncated or damaged
file is refused. The hash is no signature: a file may be made to do harm. So `read_graph` checks sizes before it
allocates memory, and then every invariant that kernels rely on (`frontier.core.invariants`).
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from frontier.runtime import Device, resolve_device
from frontier.runtime.atomic_file import atomic_file

from .base import BaseGraph, BaseStore
from .invariants import check_graph, require, require_integer
from .registry import registered
from .stored_arrays import entries_of, read_array

FORMAT_VERSION = 3
HEADER = "header.json"
HEADER_FIELDS = {
    "format", "structure", "directed", "weight_dtype", "vertex_dtype", "num_vertices", "num_arcs", "scalars",
}  # fmt: skip
MARK = b"dynfrontier graph sha256 "
TRAILER = len(MARK) + 2 * hashlib.sha256().digest_size
MAX_HEADER = 1 << 20  # bytes
CHUNK = 1 << 20
ABSENT = "absent"
VERTEX, WEIGHT = "vertex", "weight"  # types of arrays in `Store.arrays`: vertex ids, and the numbers stored by slot


# ---- the parts of a graph ------------------------------------------------------------------------------------------


def graph_header(graph: BaseGraph) -> dict[str, Any]:
    """Everything about a graph but its arrays, as JSON values."""
    header = {
        "format": FORMAT_VERSION,
        "structure": graph.name,
        "directed": graph.directed,
        "weight_dtype": None if graph.weight_dtype is None else graph.weight_dtype.name,
        "vertex_dtype": graph.vertex_dtype.name,
        "num_vertices": graph.num_vertices,
        "num_arcs": graph.num_arcs,
        "scalars": {name: getattr(graph.store, name) for name in graph.store.scalars},
    }
    for component in graph._saved_components():
        header |= component.header(graph)
    return header


def stored_arrays(store: BaseStore) -> Iterator[tuple[str, Any]]:
    """The store's arrays and their names, except absent ones."""
    for name in (*store.arrays, ABSENT):
        array = getattr(store, name)
        if array is not None:
            yield name, array


def array_types(store: BaseStore) -> dict[str, tuple[Any, tuple[int | None, ...]] | None]:
    """The dtype and shape (None for any size) of each of the store's arrays, as declared in `Store.arrays`."""
    found: dict[str, Any] = {}
    for name, kind in store.arrays.items():
        dtype, *columns = kind if isinstance(kind, tuple) else (kind,)
        dtype = {VERTEX: store.vertex_dtype, WEIGHT: store.stored_dtype}[dtype] if isinstance(dtype, str) else dtype
        found[name] = None if dtype is None else (dtype, (None, *columns))
    return found


def host_arrays(graph: BaseGraph) -> Iterator[tuple[str, np.ndarray]]:
    """The graph's arrays, one after another, copied to the host if they are elsewhere."""
    for name, array in stored_arrays(graph.store):
        yield name, graph.device.to_host(array)
    for component in graph._saved_components():
        for name, array in component.arrays().items():
            yield name, graph.device.to_host(array)


def empty_graph(kind: type[BaseGraph], header: dict[str, Any], device: str | Device) -> BaseGraph:
    """A graph without vertices of the kind that a header names."""
    options: dict[str, Any] = {}
    for component in kind.component_types:
        options |= component.options(header)
    return kind(
        directed=header["directed"], device=device, weight_dtype=header["weight_dtype"],
        vertex_dtype=header["vertex_dtype"], **options,
    )  # fmt: skip


def fill_graph(graph: BaseGraph, header: dict[str, Any], arrays: dict[str, np.ndarray], *, check: bool) -> None:
    """Give an empty graph the contents of a header and arrays. With `check`, ValueError if they make no graph."""
    store = graph.store
    store.num_vertices, store.num_arcs = header["num_vertices"], header["num_arcs"]
    for name, value in header["scalars"].items():
        setattr(store, name, tuple(value) if isinstance(value, list) else value)
    # Arrays of a pickle may be views of read-only memory.
    arrays = {name: graph.xp.asarray(np.require(array, requirements="CW")) for name, array in arrays.items()}
    for name in (*store.arrays, ABSENT):
        setattr(store, name, arrays.get(name))
    for component in graph._components:
        component.fill(header, arrays)
    if check:
        check_graph(graph)
    store.attach_runtime()
    for component in graph._components:
        component.filled(graph)


def pickled_graph(kind: type[BaseGraph], header: dict[str, Any], arrays: dict[str, np.ndarray], device: Device,
                  version: int) -> BaseGraph:  # fmt: skip
    """The graph of a pickle, which is trusted as all pickles are."""
    graph = empty_graph(kind, header, device)
    fill_graph(graph, header, arrays, check=False)
    graph.store.version = version
    return graph


# ---- writing --------------------------------------------------------------------------------------------------------


def write_graph(graph: BaseGraph, path: str | os.PathLike[str]) -> None:
    """Write the file that `read_graph` reads. After a failure, `path` is the old file or the new one."""
    with atomic_file(path) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            # Equal graphs make equal files: entries have no time.
            archive.writestr(zipfile.ZipInfo(HEADER), json.dumps(graph_header(graph), default=_plain))
            for name, array in host_arrays(graph):
                with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, array, version=(1, 0), allow_pickle=False)
            archive.comment = bytes(TRAILER)
        size = file.seek(0, os.SEEK_END) - TRAILER
        digest = _digest(file, size)
        file.seek(size)
        file.write(MARK + digest)


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot be saved")


def _digest(file: BinaryIO, size: int) -> bytes:
    """The hash of the first bytes of a file, in ASCII."""
    found = hashlib.sha256()
    file.seek(0)
    while size > 0 and (chunk := file.read(min(size, CHUNK))):
        found.update(chunk)
        size -= len(chunk)
    return found.hexdigest().encode()


# ---- reading --------------------------------------------------------------------------------------------------------


def read_graph(path: str | os.PathLike[str], base: type[BaseGraph], device: str | Device) -> BaseGraph:
    """Read a graph, an instance of `base`. ValueError names the file and its fault, OSError if it cannot be read."""
    device = resolve_device(device)
    try:
        file = open(path, "rb")  # noqa: SIM115  (closed by `with`; only opening it is tried here)
    except TypeError:
        raise TypeError(f"path must be a str or an os.PathLike, not {type(path).__name__}") from None
    with file:
        try:
            _check_digest(file)
            with zipfile.ZipFile(file) as archive:
                entries = _entries(archive, os.fstat(file.fileno()).st_size)
                header = _read_header(archive, entries)
                kind = registered()[header["structure"]]
                require(issubclass(kind, base), f"it contains a {header['structure']!r} graph, not a {base.__name__}")
                graph = empty_graph(kind, header, device)
                arrays = _read_arrays(archive, entries, graph)
            fill_graph(graph, header, arrays, check=True)
        except ValueError as error:
            raise ValueError(f"{os.fsdecode(path)} is no valid graph file: {error}") from None
        except (zipfile.BadZipFile, EOFError, NotImplementedError, OverflowError, RecursionError) as error:
            # All further ways in which an archive can be malformed.
            raise ValueError(f"{os.fsdecode(path)} is no valid graph file: {error}") from None
    return graph


def _check_digest(file: BinaryIO) -> None:
    size = file.seek(0, os.SEEK_END) - TRAILER
    trailer = b""
    if size >= 0:
        file.seek(size)
        trailer = file.read()
    if not trailer.startswith(MARK):
        file.seek(0)
        if file.read(4) == b"PK\x03\x04" and b"header.npy" in file.read(64):
            raise ValueError("it was saved by an earlier version of dynfrontier, or is not a graph; save it again")
        raise ValueError("its end is missing, or it was not written by Graph.save")
    require(trailer[len(MARK) :] == _digest(file, size), "its checksum does not match its contents; it was damaged")


def _entries(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """The entries of an archive by name. None can be larger than the file."""
    entries = entries_of(archive, size)
    require(HEADER in entries, f"it has no {HEADER}")
    require(entries[HEADER].file_size <= MAX_HEADER, f"its {HEADER} is too long")
    return entries


def _read_header(archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo]) -> dict[str, Any]:
    """The header, every field of the right type."""
    header = json.loads(archive.read(entries[HEADER]), parse_constant=_no_number)
    require(isinstance(header, dict) and header.keys() >= {"format"}, f"its {HEADER} is incomplete")
    version = header["format"]
    older = isinstance(version, int) and 0 < version < FORMAT_VERSION
    require(not older, f"its format is {version!r}, of an earlier version of dynfrontier; this one reads "
            f"{FORMAT_VERSION}. Build the graph again, and save it")  # fmt: skip
    require(version == FORMAT_VERSION, f"its format is {version!r}; this version of dynfrontier reads {FORMAT_VERSION}")
    require(header.keys() >= HEADER_FIELDS, f"its {HEADER} lacks fields or has others")
    kind = registered().get(header["structure"]) if isinstance(header["structure"], str) else None
    require(kind is not None, f"there is no structure {header['structure']!r}")
    optional = {field for component in kind.component_types for field in component.header_fields}
    require(header.keys() - optional == HEADER_FIELDS, f"its {HEADER} lacks fields or has others")
    require(isinstance(header["directed"], bool), f"directed is {header['directed']!r}")
    for component in kind.component_types:
        component.check_header(header)
    require(header["weight_dtype"] in (None, "int32", "int64", "float32", "float64"),
            f"weight_dtype is {header['weight_dtype']!r}")  # fmt: skip
    require(header["vertex_dtype"] in ("int32", "int64"), f"vertex_dtype is {header['vertex_dtype']!r}")
    require_integer(header["num_vertices"], "num_vertices", 0, np.iinfo(header["vertex_dtype"]).max)
    require_integer(header["num_arcs"], "num_arcs", 0, np.iinfo(np.int64).max)
    scalars = header["scalars"]
    require(isinstance(scalars, dict) and scalars.keys() == set(kind.store_type.scalars),
            f"scalars are not those of a {header['structure']!r} graph")  # fmt: skip
    return header


def _no_number(text: str) -> Any:
    raise ValueError(f"its {HEADER} contains {text}")


def _read_arrays(
    archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], graph: BaseGraph
) -> dict[str, np.ndarray]:
    """The arrays of an archive, of the types that the graph's must have."""
    types = dict(graph.store.array_types())
    for component in graph._components:
        types |= component.array_types()
    wanted = {f"{name}.npy" for name, kind in types.items() if kind is not None}
    given = entries.keys() - {HEADER, f"{ABSENT}.npy"}
    require(given == wanted, f"it has the arrays {sorted(given)}, not {sorted(wanted)}")
    if f"{ABSENT}.npy" in entries:
        types[ABSENT] = (np.dtype(bool), (None,))
    arrays = {}
    for name, kind in types.items():
        if kind is not None:
            arrays[name] = read_array(archive, entries[f"{name}.npy"], name, np.dtype(kind[0]), kind[1])
    return arrays
