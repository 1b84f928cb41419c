"""LDBC Graphalytics graphs: ``.v`` (vertex ids), ``.e`` (edges) and ``.properties`` (what they are)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np

from frontier.io.columns import Columns
from frontier.io.edge_list import EdgeList
from frontier.io.errors import ParseError
from frontier.io.files import read_bytes
from frontier.io.text import Layout, read_text


def read_ldbc(
    edges_name: str,
    files: Mapping[str, bytes],
    source: str,
    *,
    columns: Columns = None,
    weighted: bool | None = None,
    **options,
) -> EdgeList:
    """Read one graph.

    Parameters
    ----------
    edges_name : str
        Key of the ``.e`` file in `files`.
    files : mapping of str to bytes
        Files of the directory or archive; the ``.v`` file beside the ``.e`` file and the ``.properties`` file that
        names it are used if present.
    source : str
        Name of the ``.e`` file, for errors.
    columns, weighted, **options
        Those of `frontier.io.read_edges`.

    Returns
    -------
    EdgeList
        Vertices renumbered 0..n-1 in ascending order of id, with `ids`, as the ids are sparse and the ``.v`` file
        lists isolated vertices too. Without a ``.v`` file, the vertices are those that occur in an edge.

    Raises
    ------
    ParseError
        If a line is malformed, the ``.v`` file repeats an id or lacks an end of an edge, or the counts in the
        properties do not agree.
    """
    properties = _properties(edges_name, files)
    if columns is None and weighted is None:  # the third column is a weight, never a time
        weighted = True
    layout = Layout(real_weights=True)
    edges, _ = read_text(files[edges_name], source, layout=layout, columns=columns, weighted=weighted, **options)
    edges = replace(edges, directed={"true": True, "false": False}.get(properties.get("directed", "")))
    vertices_name = edges_name.removesuffix(".e") + ".v"
    if vertices_name in files:
        ids = _vertex_ids(files[vertices_name], vertices_name)
        edges = replace(
            edges,
            src=_find(ids, edges.src, source, vertices_name),
            dst=_find(ids, edges.dst, source, vertices_name),
            num_vertices=len(ids),
            ids=ids,
        )
    else:
        edges = edges.compact()
    for key, found in (("meta.vertices", edges.num_vertices), ("meta.edges", len(edges))):
        if properties.get(key, str(found)) != str(found):
            raise ParseError(f"the properties announce {key} = {properties[key]}, the files hold {found}", source)
    return edges


class Directory(Mapping[str, bytes]):
    """The files of one directory as a mapping of name to decompressed content.

    Parameters
    ----------
    path : Path
        The directory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __getitem__(self, name: str) -> bytes:
        if not (self._path / name).is_file():
            raise KeyError(name)
        return read_bytes(self._path / name)

    def __contains__(self, name: object) -> bool:
        return (self._path / str(name)).is_file()

    def __iter__(self):
        return (entry.name for entry in sorted(self._path.iterdir()) if entry.is_file())

    def __len__(self) -> int:
        return sum(1 for _ in self)


def edge_file_of(properties: bytes, default: str) -> str:
    """Name of the edge file that a ``.properties`` file gives, or `default`."""
    for key, value in _parse(properties).items():
        if key.endswith(".edge-file"):
            return value
    return default


def _parse(text: bytes) -> dict[str, str]:
    """Keys and values of a properties file."""
    pairs = (line.split("=", 1) for line in text.decode("utf-8", "replace").splitlines() if "=" in line)
    return {key.strip(): value.strip() for key, value in pairs if not key.lstrip().startswith(("#", "!"))}


def _properties(edges_name: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """Properties of the graph whose edge file has this name, without the ``graph.NAME.`` before them."""
    wanted = PurePosixPath(edges_name).name
    for name in files:
        if name.endswith(".properties"):
            pairs = _parse(files[name])
            for key, value in pairs.items():
                if key.endswith(".edge-file") and value == wanted:
                    prefix = key.removesuffix("edge-file")
                    return {k.removeprefix(prefix): v for k, v in pairs.items() if k.startswith(prefix)}
    return {}


def _vertex_ids(data: bytes, source: str) -> np.ndarray:
    """Ids of a ``.v`` file, ascending, shape (n,), int64."""
    # The kernel wants pairs; a vertex file is one id per line, with properties that do not matter here.
    try:
        words = [line.split(None, 1)[0] for line in data.splitlines() if line.strip()]
        ids = np.array(words, dtype="S").astype(np.int64) if words else np.empty(0, dtype=np.int64)
    except (ValueError, OverflowError) as error:
        number = next(k for k, line in enumerate(data.splitlines(), 1) if line.strip() and not _is_id(line.split()[0]))
        text = data.splitlines()[number - 1].decode("utf-8", "replace")
        raise ParseError("not a vertex id of int64", source, number, text) from error
    ids.sort()
    if len(ids) and ids[0] < 0:
        raise ParseError(f"negative vertex id {ids[0]}", source)
    repeated = ids[1:][ids[1:] == ids[:-1]]
    if len(repeated):
        raise ParseError(f"vertex {repeated[0]} is listed twice", source)
    return ids


def _is_id(word: bytes) -> bool:
    return word.lstrip(b"+-").isdigit() and abs(int(word)) < 2**63


def _find(ids: np.ndarray, ends: np.ndarray, source: str, vertices: str) -> np.ndarray:
    """Positions of the ends of edges in the sorted ids."""
    if not len(ends):
        return ends
    new = np.searchsorted(ids, ends)
    missing = np.flatnonzero(ids[np.minimum(new, len(ids) - 1)] != ends) if len(ids) else np.arange(len(ends))
    if len(missing):
        raise ParseError(f"vertex {ends[missing[0]]} is an end of an edge but not listed in {vertices}", source)
    return new
