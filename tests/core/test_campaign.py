"""Random walks through all operations, and runs that are repeated: a little of it, or with --long a million operations.

Every structure and device, every dtype of ids and of weights, directed and undirected, with and without data, times and
records. A failure names the seed and the step. The same seed fails again (`--seed`).
"""

from itertools import product

import numpy as np
import pytest
from drawn import each
from model import edges_of, random_batch, to_host
from record_walk import MORE_WEIGHTS, RecordWalk
from walk import WEIGHTS, Walk

import algorithms
from algorithms import comparators
from structures import CSR

WEIGHT_DTYPES = (None, "int32", "int64", "float32", "float64")
ALL = list(product(("int32", "int64"), WEIGHT_DTYPES))
# Without --long only the types for which most tests compile kernels. Each dtype is also in `test_operations_build`.
FEW = [("int32", None), ("int32", "float32")]
STEPS, LONG_STEPS = 60, 8000
"""Operations of a walk: with --long more than a million on each device."""


def pytest_generate_tests(metafunc):
    if "vertex_dtype" in metafunc.fixturenames:
        dtypes = ALL if metafunc.config.getoption("--long", False) else FEW
        metafunc.parametrize(("vertex_dtype", "weight_dtype"), dtypes)


def test_random_operations(structure, device, directed, vertex_dtype, weight_dtype, tries, first_seed):
    if weight_dtype is not None and not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    seed = first_seed + 2 * ALL.index((vertex_dtype, weight_dtype)) + directed
    walk = Walk(structure, device, seed, directed=directed, vertex_dtype=vertex_dtype, weight_dtype=weight_dtype,
                operators=vertex_dtype == "int32")  # fmt: skip
    try:
        walk.run(tries(STEPS, LONG_STEPS))
    except BaseException as error:
        error.add_note(f"--seed {first_seed} gives the same walk")
        raise


RECORD_WALKS, LONG_RECORD_WALKS = 3, 12
RECORD_STEPS, LONG_RECORD_STEPS = 60, 4000
"""For each structure: with --long more than 300,000 operations on each device."""


def test_everything_at_once(structure, device, tries, first_seed):
    """Graphs whose options are drawn, with observers, snapshots, windows and updates that fail."""
    for number in range(tries(RECORD_WALKS, LONG_RECORD_WALKS)):
        seed = first_seed + number
        dtypes = ALL if tries(0, 1) else FEW
        vertex_dtype, weight_dtype = dtypes[seed // 2 % len(dtypes)]
        walk = RecordWalk(structure, device, seed, directed=bool(seed % 2), vertex_dtype=vertex_dtype,
                          weight_dtype=weight_dtype if structure.can_store_weights else None,
                          operators=bool(tries(0, vertex_dtype == "int32")))  # fmt: skip
        try:
            walk.run(tries(RECORD_STEPS, LONG_RECORD_STEPS))
        except BaseException as error:
            error.add_note(f"--seed {seed} gives the same walk first")
            raise


def test_walks_go_everywhere():
    assert {f"do_{name}" for name in WEIGHTS} == {name for name in dir(Walk) if name.startswith("do_")}
    known = WEIGHTS.keys() | MORE_WEIGHTS.keys()
    assert {f"do_{name}" for name in known} == {name for name in dir(RecordWalk) if name.startswith("do_")}


@pytest.mark.parametrize("kind", [Walk, RecordWalk])
def test_a_walk_finds_a_fault(device, monkeypatch, kind):
    """An update that loses an edge now and then."""
    walk = kind(CSR, device, 1, directed=True, vertex_dtype="int32", weight_dtype=None, operators=False)
    delete = walk.model.delete_edges
    monkeypatch.setattr(walk.model, "delete_edges", lambda src, dst: delete(src[:-1], dst[:-1]))
    with pytest.raises(AssertionError) as caught:
        walk.run(300)
    assert "of the walk" in "".join(caught.value.__notes__)


# ---- two runs -------------------------------------------------------------------------------------------------------


def computed(known):
    """A call of an algorithm: all integers that are compared, in one array on the host."""

    def call(graph):
        found = known.fetch(graph.device, known.compute(graph, **known.settings(source=0)))
        return np.concatenate([np.atleast_1d(part) for part in found])

    return call


def is_exact(known):
    """Whether results are integers with one right answer, or with one for each seed."""
    kinds = (comparators.Counts, comparators.Distances, comparators.Edges, comparators.Exact, comparators.Partition)
    comparator = known.comparator_for(**known.settings())
    if isinstance(comparator, comparators.Edges) and isinstance(comparator.values, comparators.Values):
        return False
    floats = isinstance(comparator, comparators.Values) or getattr(comparator, "score", None) is comparators.nearness
    seeded = "seed" in known.accepted and not floats
    return known.static is not None and (isinstance(comparator, kinds) or seeded)


# Results of a run on a graph that must be the same each time. Sums of floats need not.
RESULTS = {
    **{name: computed(known) for name, known in algorithms.analytics().items() if is_exact(known)},
    "bfs, levels": lambda g: algorithms.bfs(g, 0).levels,
    "degrees": lambda g: g.degrees(),
    "coo": lambda g: g.to_coo()[1],
    "csr": lambda g: g.to_csr().indices,
    "successors": lambda g: g.successors(np.arange(8, 60))[1],
}


def grown(structure, device, weights):
    """A graph after a stream of updates, from the same seed each time."""
    rng = np.random.default_rng(8)
    dtype = "float32" if weights and structure.can_store_weights else None
    graph = structure(500, device=device, weight_dtype=dtype)
    for _ in range(5):
        src, dst, w = random_batch(rng, 500, 1500, dtype)
        graph.insert_edges(src, dst, None if w is None else np.abs(w))
        graph.delete_edges(*random_batch(rng, 500, 4000)[:2])
    graph.delete_vertices([7, 300])
    return graph


@pytest.mark.sampled(by="file")
@pytest.mark.parametrize("name", each(RESULTS))
def test_two_runs_give_the_same(structure, device, name, tries):
    """Bit by bit: of twice the same call, and of a graph that went through the same updates."""
    run = RESULTS[name]
    first = grown(structure, device, weights=False)
    expected = np.asarray(to_host(first, run(first)))
    for _ in range(tries(1, 20)):
        second = grown(structure, device, weights=False)
        for graph in (first, second):
            found = np.asarray(to_host(graph, run(graph)))
            assert found.dtype == expected.dtype and np.array_equal(found, expected)


def test_two_streams_leave_the_same_graph(structure, device, tries):
    first = edges_of(grown(structure, device, weights=True))
    for _ in range(tries(1, 20)):
        assert edges_of(grown(structure, device, weights=True)) == first


def test_two_runs_of_pagerank(structure, device, tries):
    """Sums of floats: in the same order on the CPU. On the GPU the order, and so the last bits, may differ."""
    graph = grown(structure, device, weights=False)
    expected = to_host(graph, algorithms.pagerank(graph).pagerank)
    for _ in range(tries(2, 20)):
        found = to_host(graph, algorithms.pagerank(graph).pagerank)
        if device == "cpu":
            assert np.array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-12 if found.dtype == np.float64 else 1e-5)
