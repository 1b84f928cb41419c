"""LDBC Graphalytics: its six algorithms on its graphs, checked against the results that LDBC gives, by LDBC's rules.

A data set is a properties file, whose graph may be anywhere below the same folder: ``NAME.v``, ``NAME.e`` and results
such as ``NAME-BFS``. The validation graphs of Graphalytics' own tests have a folder for each algorithm, with
``dir-input`` and ``dir-output`` and no properties. Their parameters are the parameters of the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import frontier as fr
from algorithms import UNREACHED, bfs, cdlp, connected_components, pagerank, sssp
from algorithms.local_clustering import ldbc_clustering

TOLERANCE = 1e-4
"""By which results that are not integers may differ, relatively."""
FAR = np.iinfo(np.int64).max
"""The distance of a vertex that a breadth-first search does not reach."""
TEST_PARAMETERS = {
    ("bfs", "dir"): {"source-vertex": "1"}, ("bfs", "undir"): {"source-vertex": "1"},
    ("sssp", "dir"): {"source-vertex": "1"}, ("sssp", "undir"): {"source-vertex": "1"},
    ("pr", "dir"): {"damping-factor": "0.85", "num-iterations": "14"},
    ("pr", "undir"): {"damping-factor": "0.85", "num-iterations": "26"},
    ("cdlp", "dir"): {"max-iterations": "5"}, ("cdlp", "undir"): {"max-iterations": "5"},
}  # fmt: skip
"""Parameters of the graphs that have no properties, by algorithm and graph."""


@dataclass(frozen=True)
class Case:
    """A graph and an algorithm.

    Attributes
    ----------
    name, algorithm : str
    file : Path
        An ``.e`` file, or lines of a vertex and its neighbors.
    directed : bool
    parameters : dict
        Texts by LDBC's names, such as ``source-vertex``.
    expected : Path, optional
        LDBC's result: lines of a vertex and a value.
    """

    name: str
    algorithm: str
    file: Path
    directed: bool
    parameters: dict[str, str]
    expected: Path | None

    def edges(self) -> fr.io.EdgeList:
        """The edges, with `ids`, directed as the graph is, and weighted only for shortest paths."""
        edges = _read_lists(self.file) if self.file.suffix != ".e" else fr.io.read_edges(self.file)
        weighted = self.algorithm == "sssp" and edges.weights is not None
        weights = np.asarray(edges.weights, np.float32) if weighted else None
        return replace(edges, directed=self.directed, weights=weights)

    def run(self, graph: fr.Graph, ids: np.ndarray) -> Any:
        """Run the algorithm on a graph whose vertices have these ids. Return an array by vertex."""
        return ALGORITHMS[self.algorithm].run(graph, _Parameters(self.parameters, ids))

    def fault(self, found: np.ndarray, ids: np.ndarray) -> str:
        """The difference from LDBC's result, or ""."""
        assert self.expected is not None
        algorithm = ALGORITHMS[self.algorithm]
        lines = [line.split() for line in self.expected.read_text(encoding="utf-8").splitlines() if line.strip()]
        vertices = np.array([int(vertex) for vertex, _ in lines], np.int64)
        order = np.argsort(vertices)
        if not np.array_equal(vertices[order], ids):
            return f"{self.expected.name} lists other vertices than the graph has"
        expected = np.array([algorithm.number(value) for _, value in lines])[order]
        found = algorithm.values(found, ids)
        right = algorithm.matches(found, expected)
        if right.all():
            return ""
        first = int(np.flatnonzero(~right)[0])
        return f"{(~right).sum():,} vertices differ; vertex {ids[first]} has {found[first]}, not {expected[first]}"


class _Parameters:
    """The parameters of an algorithm, as numbers and vertices of the graph."""

    def __init__(self, texts: dict[str, str], ids: np.ndarray):
        self._texts, self._ids = texts, ids

    def number(self, name: str, kind: type = int) -> Any:
        if name not in self._texts:
            raise ValueError(f"the properties do not have {name}")
        return kind(self._texts[name])

    @property
    def source(self) -> int:
        source = self.number("source-vertex")
        place = int(np.searchsorted(self._ids, source))
        if place == self._ids.size or self._ids[place] != source:
            raise ValueError(f"source-vertex {source} is not in the graph")
        return place


@dataclass(frozen=True)
class _Algorithm:
    """How an algorithm runs, how its values are read from LDBC's file and ours, and which of them match."""

    run: Callable[[fr.Graph, _Parameters], Any]
    number: Callable[[str], Any] = float
    values: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda found, ids: found
    matches: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda found, expected: np.isclose(
        found, expected, rtol=TOLERANCE, atol=0
    )


def _same_sets(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Which vertices are in a set of the same vertices on both sides."""
    _, set_of, sizes = np.unique(expected, return_inverse=True, return_counts=True)
    _, own_of, own = np.unique(found, return_inverse=True, return_counts=True)
    _, pair_of, both = np.unique(set_of * np.int64(own.size) + own_of, return_inverse=True, return_counts=True)
    return (both[pair_of] == sizes[set_of]) & (both[pair_of] == own[own_of])


def _ranks(graph: fr.Graph, given: _Parameters) -> Any:
    alpha, rounds = given.number("damping-factor", float), given.number("num-iterations")
    return pagerank(graph, alpha, rounds, tol=0, fail_on_nonconvergence=False).pagerank


ALGORITHMS = {
    "bfs": _Algorithm(
        lambda graph, given: bfs(graph, given.source).distance, int,
        lambda found, ids: np.where(found == UNREACHED, FAR, found.astype(np.int64)), np.equal,
    ),
    "pr": _Algorithm(_ranks),
    "wcc": _Algorithm(lambda graph, given: connected_components(graph).labels, int, matches=_same_sets),
    "cdlp": _Algorithm(
        lambda graph, given: cdlp(graph, max_iter=given.number("max-iterations")).labels, int,
        lambda found, ids: ids[found], np.equal,
    ),
    "lcc": _Algorithm(lambda graph, given: ldbc_clustering(graph).clustering),
    "sssp": _Algorithm(lambda graph, given: sssp(graph, given.source).distance),
}  # fmt: skip
"""By LDBC's names."""


@contextmanager
def folder_of(path: Path) -> Iterator[Path]:
    """The folder, or a temporary one of the files of a tar archive."""
    if path.is_dir():
        yield path
        return
    import tarfile

    with TemporaryDirectory() as folder:
        with tarfile.open(path) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


def find_cases(folder: Path) -> list[Case]:
    """All cases of a folder, by graph and algorithm."""
    cases: list[Case] = []
    for properties in sorted(folder.rglob("*.properties")):
        cases += _of_properties(folder, properties)
    for algorithm in ALGORITHMS:
        for expected in sorted(folder.rglob(f"{algorithm}/*-output")):
            name = expected.name.removesuffix("-output")
            files = [expected.with_name(f"{name}-input{end}") for end in (".e", "")]
            file = next((each for each in files if each.exists()), None)
            if file is not None and name in ("dir", "undir"):
                given = TEST_PARAMETERS.get((algorithm, name), {})
                cases.append(Case(name, algorithm, file, name == "dir", given, expected))
    return cases


def _of_properties(folder: Path, properties: Path) -> Iterator[Case]:
    """The cases of a data set."""
    name = properties.name.removesuffix(".properties")
    lines = (line.split("=", 1) for line in properties.read_text(encoding="utf-8").splitlines() if "=" in line)
    known = {key.strip(): value.strip() for key, value in lines if not key.lstrip().startswith(("#", "!"))}
    prefix = f"graph.{name}."
    known = {key.removeprefix(prefix): value for key, value in known.items() if key.startswith(prefix)}
    file = next(folder.rglob(known.get("edge-file", f"{name}.e")), None)
    if file is None:
        return
    for algorithm in (word.strip().lower() for word in known.get("algorithms", ",".join(ALGORITHMS)).split(",")):
        if algorithm in ALGORITHMS:
            given = {key.split(".")[-1]: value for key, value in known.items() if key.startswith(f"{algorithm}.")}
            expected = next(folder.rglob(f"{name}-{algorithm.upper()}"), None)
            yield Case(name, algorithm, file, known.get("directed") == "true", given, expected)


def _read_lists(path: Path) -> fr.io.EdgeList:
    """Read lines of a vertex and its neighbors."""
    rows = [[int(word) for word in line.split()] for line in path.read_text(encoding="utf-8").splitlines() if line]
    ids = np.unique(np.concatenate([np.array(row, np.int64) for row in rows] or [np.zeros(0, np.int64)]))
    src = np.array([row[0] for row in rows for _ in row[1:]], np.int64)
    dst = np.array([vertex for row in rows for vertex in row[1:]], np.int64)
    return fr.io.EdgeList(np.searchsorted(ids, src), np.searchsorted(ids, dst), num_vertices=ids.size, ids=ids)
