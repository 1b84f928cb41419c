"""Common properties of incremental analytics: their lives, and that a failure never leaves one silently wrong."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from exhaustion import failing
from model import random_batch
from verifiers import host

import frontier as fr
from algorithms import AnalyticFailedError, analytics
from algorithms.comparators import edges_of

N = 60
NUMBERS = {"connected_components": ("count",), "k_truss": ("num_edges",)}
"""Numbers of results that are compared in addition to the catalogue's values."""

SLOW = (
    "katz_centrality",
    "coloring",
    "betweenness_centrality",
    "strongly_connected_components",
    "louvain",
    "label_propagation",
    "core_number",
)
"""Analytics whose many kernels are compiled only with --all."""


class Form:
    """An analytic of the catalogue that has both forms."""

    def __init__(self, known):
        self.known = known
        self.settings = known.settings(source=0, tol=1e-9, max_level=1)
        self.numbers = NUMBERS.get(known.name, ())
        self.names = (*known.values, *self.numbers)

    def make(self, graph):
        return self.known.maintain(graph, **self.settings)

    def recompute(self, graph):
        return self.known.compute(graph, **self.settings)

    def read(self, found):
        """The compared values, on the host."""
        return tuple(np.array(host(getattr(found, name))) for name in self.names)

    def edges(self, graph):
        """The edges that `same` needs, None for most analytics."""
        return edges_of(graph) if self.known.comparator_for(**self.settings).needs_edges else None

    def same(self, one, other, edges):
        """Whether two of these are equal, for a graph of these edges."""
        size = len(self.known.values)
        comparator = self.known.comparator_for(**self.settings)
        return one[size:] == other[size:] and comparator.compare(one[:size], other[:size], edges=edges).agrees


FORMS = {name: Form(known) for name, known in analytics().items() if known.static and known.incremental}


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in FORMS])
def form(request):
    return FORMS[request.param]


@pytest.fixture(params=["csr", "slab"])
def structure(request):
    """Two: the tests do not depend on the structure, and the analytics must be compiled for each."""
    return fr.structures()[request.param]


@pytest.fixture
def graph(structure, device, rng):
    src, dst, _ = random_batch(rng, N, 250)
    return structure.from_edges(src, dst, num_vertices=N, device=device)


def batch(rng, size=40):
    return random_batch(rng, N, size)[:2]


def right(form, analytic):
    """Compare it with the same recomputed from scratch."""
    graph = analytic.graph
    assert form.same(form.read(analytic), form.read(form.recompute(graph)), form.edges(graph))


def test_a_with_block(form, graph, rng):
    with form.make(graph) as analytic:
        assert not analytic.closed
        graph.insert_edges(*batch(rng))
        right(form, analytic)
        graph.delete_edges(*batch(rng))
        before, edges = form.read(form.recompute(graph)), form.edges(graph)
    assert analytic.closed
    analytic.close()
    graph.insert_edges(*batch(rng))
    graph.insert_vertices(3)
    graph.delete_vertices([0, 7])
    assert form.same(form.read(analytic), before, edges)


def test_to_detach_it_is_to_close_it(form, graph, rng):
    analytic = form.make(graph)
    before = form.read(analytic)
    graph.detach(analytic)
    assert analytic.closed
    graph.insert_edges(*batch(rng))
    assert all((got == old).all() for got, old in zip(form.read(analytic), before, strict=True))
    with pytest.raises(ValueError, match="closed: make a new one"):
        graph.attach(analytic)


def test_attached_twice(form, graph, rng):
    analytic = form.make(graph)
    graph.attach(analytic)
    graph.insert_edges(*batch(rng))
    graph.delete_edges(*batch(rng))
    right(form, analytic)


def test_attached_to_another_graph(form, graph, rng):
    analytic = form.make(graph)
    twin = graph.copy()
    with pytest.raises(ValueError, match="observer"):
        twin.attach(analytic)
    twin.delete_edges(*twin.to_coo()[:2])
    right(form, analytic)
    analytic.close()
    with pytest.raises(ValueError, match="another graph"):
        twin.attach(analytic)


def test_text(form, graph):
    analytic = form.make(graph)
    assert repr(analytic) == f"{type(analytic).__name__}({graph!r})"
    analytic.close()
    assert repr(analytic).endswith(", closed)")


def test_copies_are_refused(form, graph):
    """A copy would share arrays with the original, and be notified of nothing."""
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            make(form.make(graph))


def test_collected(form, graph, rng):
    analytic = weakref.ref(form.make(graph))
    gc.collect()
    assert analytic() is None
    graph.insert_edges(*batch(rng))


def test_results_cannot_be_changed_by_accident(form, graph):
    """Returned arrays are read-only, or no longer the analytic's."""
    analytic = form.make(graph)
    for name in form.names:
        result = getattr(analytic, name)
        if isinstance(result, int):
            continue
        try:
            result[...] = 1
        except ValueError as error:
            assert "read-only" in str(error)
    right(form, analytic)


@pytest.mark.parametrize("bad", [None, 3, "graph", [[0, 1]], object()])
def test_only_of_graphs(form, bad):
    with pytest.raises(TypeError, match="graph must be a Graph, not "):
        form.make(bad)


METHODS = {
    "edges_inserted": lambda graph, rng: graph.insert_edges(*batch(rng)),
    "edges_deleting": lambda graph, rng: graph.delete_edges(*batch(rng)),
    "edges_deleted": lambda graph, rng: graph.delete_edges(*batch(rng)),
    "vertices_changed": lambda graph, rng: graph.insert_vertices(3),
}


@pytest.mark.parametrize("method", METHODS)
def test_one_that_failed_says_so(form, graph, rng, monkeypatch, method):
    failing, other = form.make(graph), form.make(graph)

    def fail(*_):
        raise MemoryError("for the test")

    monkeypatch.setattr(failing, method, fail, raising=False)
    with pytest.raises(fr.ObserverError, match="was made") as caught:
        METHODS[method](graph, rng)
    assert [observer for observer, _ in caught.value.failures] == [failing]
    right(form, other)
    assert failing.closed and repr(failing).endswith(", failed)")
    for name in form.names:
        with pytest.raises(AnalyticFailedError, match=f"{method} raised MemoryError: for the test; make a new") as said:
            getattr(failing, name)
        assert isinstance(said.value.__cause__, MemoryError)
    failing.close()
    graph.insert_edges(*batch(rng))
    right(form, other)
    right(form, form.make(graph))


def test_a_with_block_that_failed(form, graph, rng, monkeypatch):
    def fail(*_):
        raise MemoryError("for the test")

    with pytest.raises(fr.ObserverError), form.make(graph) as analytic:
        monkeypatch.setattr(analytic, "edges_inserted", fail)
        graph.insert_edges(*batch(rng))
    assert analytic.closed


def test_deletions_that_fail(form, graph, rng, monkeypatch):
    """The graph has run out of memory after the analytic has been notified of what would go."""
    analytic = form.make(graph)
    some = tuple(ends[::5] for ends in graph.to_coo()[:2])

    def no_memory(*_):
        raise MemoryError("for the test")

    def fail(delete, *args):
        with monkeypatch.context() as patch, pytest.raises(MemoryError):
            patch.setattr(graph.store, "erase", no_memory)
            delete(*args)

    fail(graph.delete_edges, *some)
    right(form, analytic)
    fail(graph.delete_edges, *some)
    graph.insert_edges(*batch(rng))
    right(form, analytic)
    fail(graph.delete_vertices, [1, 2])
    graph.insert_vertices(3)
    right(form, analytic)
    fail(graph.delete_edges, *some)
    graph.delete_edges(*(ends[:3] for ends in some))
    right(form, analytic)


STEPS = 1000
UPDATES = {
    "insert": lambda graph, edges: graph.insert_edges(*edges),
    "delete": lambda graph, edges: graph.delete_edges(*edges),
    "delete vertices": lambda graph, edges: graph.delete_vertices([3, 4]),
    "insert vertices": lambda graph, edges: graph.insert_vertices(40),
}


@pytest.mark.parametrize("update", UPDATES)
def test_exhausted_memory(form, structure, device, rng, update):
    """If any allocation of the graph or the analytic fails, the analytic is correct, or reports its failure."""
    src, dst, _ = random_batch(rng, N, 250)
    edges = batch(rng)
    if update == "delete":
        edges = [np.concatenate(ends) for ends in zip(edges, (src[:30], dst[:30]), strict=True)]
    graph = structure.from_edges(src, dst, num_vertices=N, device=device)
    with form.make(graph):
        UPDATES[update](graph, edges)  # loads the kernels
    for step in range(STEPS):
        graph = structure.from_edges(src, dst, num_vertices=N, device=device)
        analytic = form.make(graph)
        form.read(analytic)
        try:
            with failing(graph.device, step):
                UPDATES[update](graph, edges)
                break
        except MemoryError as error:
            if not analytic.closed:
                right(form, analytic)
            else:  # it failed before the deletion did
                assert "failed and was detached" in error.__notes__[0]
        except fr.ObserverError as error:
            assert isinstance(error.failures[0][1], MemoryError)
            with pytest.raises(AnalyticFailedError, match="MemoryError"):
                form.read(analytic)
            right(form, form.make(graph))
    assert step < STEPS - 1
    right(form, analytic)


def test_results_whose_memory_is_exhausted(form, structure, device, rng):
    """Reading a result may allocate memory. The next read is correct."""
    src, dst, _ = random_batch(rng, N, 250)
    edges, others = batch(rng, 200), batch(rng)
    for step in range(STEPS):
        graph = structure.from_edges(src, dst, num_vertices=N, device=device)
        analytic = form.make(graph)
        graph.insert_edges(*edges)
        graph.delete_edges(*others)
        try:
            with failing(graph.device, step):
                form.read(analytic)
                break
        except MemoryError:
            right(form, analytic)
    assert step < STEPS - 1
