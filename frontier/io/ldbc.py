"""LDBC Graphalytics graphs: ``.v`` (vertex ids), ``.e`` (edges) and ``.properties`` (their description)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from .edge_list import EdgeList
from .errors import ParseError
from .files import COMPRESSED_SUFFIXES, bare_name, without_suffixes
from .options import ReadOptions
from .text import read_column, read_text
from .text_columns import Layout


def read_ldbc(edges_name: str, files: Mapping[str, bytes], source: str, options: ReadOptions) -> EdgeList:
    """Read one graph, with the options of `read_text`.

    The sparse ids are renumbered 0..n-1 in ascending order, with `ids`. Isolated vertices come from the ``.v`` file
    next to `edges_name`, the ``.e`` file in `files`, or named by ``.properties``. ParseError for a malformed line, an
    id that the ``.v`` file repeats or lacks, or other counts than in the properties.
    """
    properties = _properties(edges_name, files, source)
    if options.columns is None and options.weighted is None:  # the third column is a weight, never a time
        options = replace(options, weighted=True)
    edges, _ = read_text(files[edges_name], source, options, Layout(delimiter=" ", real_weights=True))
    said = properties.get("directed")
    if said not in (None, "true", "false"):
        raise ParseError(f"the properties have directed = {said!r}, which is neither true nor false", source)
    edges = replace(edges, directed=None if said is None else said == "true")
    vertices_name = beside(without_suffixes(edges_name), ".v", files)
    if vertices_name is not None:
        folder = source.removesuffix(edges_name) if source.endswith(edges_name) else ""
        ids = _vertex_ids(files[vertices_name], f"{folder}{vertices_name}")
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
            raise ParseError(f"the properties announce {key} = {properties[key]}, the files contain {found}", source)
    return edges


def beside(stem: str, suffix: str, files: Mapping[str, bytes]) -> str | None:
    """Return the name of the file with this stem and suffix, compressed or not, or None without one."""
    return next((name for end in ("", *COMPRESSED_SUFFIXES) if (name := f"{stem}{suffix}{end}") in files), None)


def edge_file_of(properties: bytes, default: str) -> str:
    """Return the name of the edge file in a ``.properties`` file, or `default`."""
    for key, value in _parse(properties).items():
        if key.endswith(".edge-file"):
            return value
    return default


def _parse(text: bytes) -> dict[str, str]:
    """Return the keys and values of a properties file."""
    pairs = (line.split("=", 1) for line in text.decode("utf-8", "replace").split("\n") if "=" in line)
    return {key.strip(): value.strip() for key, value in pairs if not key.lstrip().startswith(("#", "!"))}


def _properties(edges_name: str, files: Mapping[str, bytes], source: str) -> dict[str, str]:
    """Return the properties of the graph with this edge file, without their prefix ``graph.NAME.``."""
    wanted, own = bare_name(edges_name), f"{PurePosixPath(without_suffixes(edges_name)).name}.properties"
    for name in files:
        if name.endswith(".properties"):
            pairs = _parse(files[name])
            for key, value in pairs.items():
                if key.endswith(".edge-file") and value.lower() == wanted:
                    prefix = key.removesuffix("edge-file")
                    return {k.removeprefix(prefix): v for k, v in pairs.items() if k.startswith(prefix)}
            if PurePosixPath(name).name == own:
                raise ParseError(f"{name} names no edge file {wanted}", source)
    return {}


def _vertex_ids(data: bytes, source: str) -> np.ndarray:
    """Return the ids of a ``.v`` file, ascending, shape (n,), int64: one on each line, before ignored properties."""
    ids = read_column(data, source)
    ids.sort()
    repeated = ids[1:][ids[1:] == ids[:-1]]
    if len(repeated):
        raise ParseError(f"vertex {repeated[0]} is listed twice", source)
    return ids


def _find(ids: np.ndarray, ends: np.ndarray, source: str, vertices: str) -> np.ndarray:
    """Return the positions of the ends of edges in the sorted ids."""
    if not len(ends):
        return ends
    new = np.searchsorted(ids, ends)
    missing = np.flatnonzero(ids[np.minimum(new, len(ids) - 1)] != ends) if len(ids) else np.arange(len(ends))
    if len(missing):
        raise ParseError(f"vertex {ends[missing[0]]} is an end of an edge but not listed in {vertices}", source)
    return new
