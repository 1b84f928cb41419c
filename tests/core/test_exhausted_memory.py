"""Memory that runs out in a query, an operator or an algorithm: an error, and nothing that is wrong afterwards.

Each allocation of each call fails in turn. The graph must then be unchanged, and the same call must give the right
result. (What updates must do is in `test_operations_memory`.)
"""

import numpy as np
import pytest
from allocations import failing_after
from drawn import each
from exhaustion import contents
from model import random_batch, to_host

import algorithms
import frontier as fr
from structures import CSR

STEPS = 3000  # allocations of a call, at most
VERTICES = 300


def further(src, dst, edge, weight, distance):
    return fr.atomic_min(distance, dst, distance[src] + 1) > distance[src] + 1


def number(src, dst, edge, weight):
    return dst


def even(v):
    return v % 2 == 0


def half_of(src, dst, edge, weight):
    return (src + dst) % 2 == 0


def walked(graph, run):
    distance = graph.xp.full(VERTICES, 100, np.int32)
    distance[3] = 0
    run(graph, fr.Frontier(graph, [3]), further, distance)
    return distance


def doubled(graph):
    out = graph.xp.zeros(VERTICES, np.int64)
    fr.compute(fr.Frontier.all(graph), double, out)
    return out


def double(v, out):
    out[v] = 2 * v


def visited(graph):
    return np.sort(to_host(graph, fr.visit_edges(graph, [1, 2, 3], [4, 5, 6], any_edge).vertices))


def any_edge(src, dst, edge, weight):
    return True


SRC, DST = random_batch(np.random.default_rng(5), VERTICES, 200)[:2]

QUERIES = {
    "has_edges": lambda g: g.has_edges(SRC, DST),
    "find_edges": lambda g: g.find_edges(SRC, DST) >= 0,
    "edge_weights": lambda g: g.edge_weights(*g.to_coo()[:2]),
    "neighbors": lambda g: g.neighbors(3),
    "successors": lambda g: g.successors(SRC),
    "degrees": lambda g: g.degrees(),
    "has_vertices": lambda g: g.has_vertices(np.arange(-2, VERTICES + 3)),
    "to_coo": lambda g: g.to_coo(),
    "to_csr": lambda g: g.to_csr().indices,
    "copy": lambda g: g.copy().to_coo(),
}
OPERATORS = {
    "push": lambda g: walked(g, lambda *args: fr.advance(*args, direction="push")),
    "pull": lambda g: walked(g, lambda *args: fr.advance(*args, direction="pull")),
    "traverse": lambda g: walked(g, fr.traverse),
    "neighbor_reduce": lambda g: fr.neighbor_reduce(g, None, number, dtype=np.int64),
    "filter": lambda g: np.sort(to_host(g, fr.filter(fr.Frontier.all(g), even).vertices)),
    "compute": doubled,
    "intersect": lambda g: fr.intersect(g, SRC, DST),
    "extract_subgraph": lambda g: np.sort(to_host(g, fr.extract_subgraph(g, half_of).indices)),
    "visit_edges": visited,
    "frontier": lambda g: fr.Frontier(g, SRC).bits,
}


FEWER = {"force_atlas2": {"max_iter": 3}}
"""Parameters of algorithms that would make many alike allocations."""


def computed(known):
    """A call of an algorithm, and its compared results. Floats are rounded."""

    def call(graph):
        settings = known.settings(source=3, ensemble_size=1) | FEWER.get(known.name, {})
        found = known.fetch(graph.device, known.compute(graph, **settings))
        return tuple(part.round(4).tolist() if np.asarray(part).dtype.kind == "f" else np.asarray(part).tolist()
                     for part in found)  # fmt: skip

    return call


ALGORITHMS = {name: computed(known) for name, known in algorithms.analytics().items() if known.static}


def listed(graph, result):
    """A result as lists of numbers."""
    if isinstance(result, tuple):
        return [listed(graph, part) for part in result]
    is_plain = result is None or np.isscalar(result) or isinstance(result, list)
    return result if is_plain else to_host(graph, result).tolist()


def check_each_allocation(graph, call):
    expected = listed(graph, call(graph))  # compiles its kernels
    before = contents(graph)
    for step in range(STEPS):
        graph = graph.copy()  # without the scratch memory of earlier steps
        graph.view()
        try:
            with failing_after(graph, step):
                result = call(graph)
            break
        except MemoryError:
            if step < 30 or step % 10 == 0:  # a call with hundreds of allocations is not checked after each
                assert listed(graph, call(graph)) == expected, f"wrong after a failure at step {step}"
                assert contents(graph) == before, f"changed by a failure at step {step}"
    assert step < STEPS - 1, "there was no end of failures"
    assert listed(graph, result) == expected
    return step


@pytest.fixture
def graph(structure, device):
    return structure.from_edges(*random_batch(np.random.default_rng(4), VERTICES, 2000)[:2], num_vertices=VERTICES,
                                device=device)  # fmt: skip


@pytest.mark.parametrize("name", QUERIES)
def test_queries(graph, name):
    check_each_allocation(graph, QUERIES[name])


@pytest.mark.sampled(by="file")
@pytest.mark.parametrize("name", each(ALGORITHMS))
def test_algorithms(graph, name):
    assert check_each_allocation(graph, ALGORITHMS[name]) > 0


def pytest_generate_tests(metafunc):
    """Operators on one structure, for which their kernels must be compiled, on all with --long."""
    if metafunc.function is test_operators:
        every = metafunc.config.getoption("--long", False)
        chosen = fr.structures() if every else {CSR.name: CSR}
        metafunc.parametrize("structure", list(chosen.values()), ids=list(chosen))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(structure, graph, name):
    assert check_each_allocation(graph, OPERATORS[name]) > 0
