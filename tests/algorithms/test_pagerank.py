"""PageRank, from scratch and incremental, on every structure and device, against NetworkX and a dense solution."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from centrality_verifiers import exact_ranks, verify_pagerank
from graphs import GRAPHS
from host_graphs import host
from published import FOLDER, locate

import frontier as fr
from algorithms import ConvergenceError, DynamicPageRank, pagerank
from algorithms import _pagerank_functors as pagerank_functors
from algorithms._trials import Trials
from frontier.core.structures import structures
from structures import SlabGraph

EXACT = dict(tol=1e-12, max_iter=1000)


def make(structure, device, name, directed=False, weights=None, **options):
    src, dst, n = GRAPHS[name]
    weights = None if weights is None else weights[: src.size]
    return structure.from_edges(src, dst, weights, num_vertices=n, directed=directed, device=device, **options)


@pytest.fixture
def weights(rng):
    return rng.integers(1, 9, 8000)


@pytest.mark.parametrize("name", list(GRAPHS))
def test_ranks(structure, device, name, directed):
    graph = make(structure, device, name, directed)
    verify_pagerank(graph, pagerank(graph))
    verify_pagerank(graph, pagerank(graph, alpha=0.5, tol=1e-10), alpha=0.5, tol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rmat", "road"])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.sampled("dtype", of=2)
def test_weighted_ranks_are_those_of_networkx(structure, device, name, directed, weights, dtype):
    graph = make(structure, device, name, directed, weights.astype(dtype))
    found = fr.interchange.to_networkx(graph)
    start = {v: 1.0 for v in range(graph.num_vertices)}
    personal = {1: 3.0, 7: 1.0, 30: 2.0}
    for given, weighted in ((None, None), (personal, True), (personal, False)):
        result = pagerank(graph, personalization=given, nstart=start, weighted=weighted, **EXACT)
        key = None if weighted is False else "weight"
        ranks = nx.pagerank(found, personalization=given, weight=key, tol=1e-14, max_iter=2000)
        assert np.allclose(host(result.pagerank), [ranks[v] for v in range(graph.num_vertices)], rtol=1e-7, atol=1e-13)
        verify_pagerank(graph, result, tol=1e-12, personalization=given, weighted=weighted is not False)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_float32_ranks(structure, device, weights, weighted):
    graph = make(structure, device, "rmat", weights=weights if weighted else None, directed=True)
    exact = host(pagerank(graph, tol=1e-10).pagerank)
    result = pagerank(graph, dtype="float32", tol=1e-6)
    assert result.pagerank.dtype == np.float32 and result.converged
    assert np.abs(host(result.pagerank) - exact).sum() < 1e-5
    assert pagerank(graph, dtype=np.float32, max_iter=3, tol=0, fail_on_nonconvergence=False).iterations == 3
    assert pagerank(structure(0, device=device), dtype="float32").pagerank.dtype == np.float32


def test_bad_dtypes_are_refused():
    graph = make(SlabGraph, "cpu", "rmat")
    with pytest.raises(TypeError, match="dtype must be one of float32, float64, not int32"):
        pagerank(graph, dtype="int32")
    with pytest.raises(TypeError, match="dtype"):
        pagerank(graph, dtype="float33")
    with pytest.raises(ValueError, match=r"tol=1e-07 is not reached with dtype=float32"):
        pagerank(graph, dtype="float32", tol=1e-7)


def test_deleted_vertices_have_no_rank(structure, device, directed):
    graph = make(structure, device, "rmat", directed)
    graph.delete_vertices([0, 3, 500])
    result = pagerank(graph, **EXACT)
    assert (host(result.pagerank)[[0, 3, 500]] == 0).all()
    verify_pagerank(graph, result, tol=1e-12)


def test_graphs_without_vertices_or_edges(structure, device):
    assert pagerank(structure(0, device=device)).pagerank.size == 0
    assert np.allclose(host(pagerank(structure(4, device=device)).pagerank), 0.25)
    graph = structure(3, device=device)
    graph.delete_vertices([0, 1, 2])
    assert (host(pagerank(graph).pagerank) == 0).all()


def test_no_convergence_is_an_error_unless_allowed(structure, device):
    graph = make(structure, device, "rmat")
    with pytest.raises(ConvergenceError, match="max_iter=3"):
        pagerank(graph, max_iter=3)
    result = pagerank(graph, max_iter=3, fail_on_nonconvergence=False)
    assert not result.converged and result.iterations == 3 and result.error > 1e-5
    assert pagerank(graph, max_iter=20, tol=0, fail_on_nonconvergence=False).iterations == 20


class Late:
    """A result that has never arrived in time, as on a busy GPU: the host waits for it."""

    ready = False

    def __init__(self, array):
        self._values = array.copy()

    def result(self):
        return self._values


@pytest.mark.parametrize("max_iter, tol", [(1, 1e-5), (2, 1e-5), (3, 1e-5), (100, 1e-5), (100, 0.5), (40, 0)])
def test_an_error_that_arrives_late_changes_nothing(monkeypatch, max_iter, tol):
    """The iteration that is under way by then is dropped."""
    edges = fr.io.rmat(9, 8, seed=2)
    graph = SlabGraph.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device="cpu")
    options = {"max_iter": max_iter, "tol": tol, "fail_on_nonconvergence": False}
    expected = pagerank(graph, **options)
    monkeypatch.setattr(fr.advanced, "copy_to_host_async", Late)
    found = pagerank(graph, **options)
    assert (found.iterations, found.error, found.converged) == (
        expected.iterations, expected.error, expected.converged
    )  # fmt: skip
    assert (found.pagerank == expected.pagerank).all()


@pytest.mark.parametrize(
    "options, named",
    [({"alpha": 1.5}, "alpha"), ({"alpha": "x"}, "alpha"), ({"tol": -1}, "tol"), ({"tol": float("nan")}, "tol"),
     ({"max_iter": 0}, "max_iter"), ({"max_iter": 1.5}, "max_iter"),
     ({"personalization": {10**6: 1}}, "personalization"), ({"personalization": {1: -1.0}}, "personalization"),
     ({"personalization": {1.7: 1.0}}, "personalization"), ({"personalization": {1: float("nan")}}, "personalization"),
     ({"personalization": {}}, "personalization"), ({"nstart": np.ones(3)}, "nstart"),
     ({"nstart": ["a"] * 300}, "nstart")],
)  # fmt: skip
def test_bad_arguments_are_named(structure, device, options, named):
    graph = make(structure, device, "path")
    with pytest.raises((ValueError, TypeError), match=named):
        pagerank(graph, **options)
    if named in ("alpha", "tol", "max_iter", "personalization"):
        with pytest.raises((ValueError, TypeError), match=named):
            DynamicPageRank(graph, **options)


@pytest.mark.parametrize("bad", [-1.0, np.inf])
def test_bad_weights_are_refused(structure, device, bad):
    graph = structure.from_edges([0, 1], [1, 2], np.array([1.0, bad]), device=device)
    with pytest.raises(ValueError, match="weights"):
        pagerank(graph)
    verify_pagerank(graph, pagerank(graph, weighted=False), weighted=False)


def test_wrong_ranks_fail_their_verifier(structure):
    graph = make(structure, "cpu", "rmat")
    right = pagerank(graph)
    for wrong in (right.pagerank * 1.001, right.pagerank[::-1]):
        with pytest.raises(AssertionError):
            verify_pagerank(graph, replace(right, pagerank=wrong))


# ---- products -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(GRAPHS))
def test_products(structure, device, name, directed, weights, rng):
    graph = make(structure, device, name, directed, weights.astype(np.float32))
    xp = graph.xp
    x = rng.random(graph.num_vertices)
    matrix = fr.interchange.to_scipy(graph)
    matrix = (matrix.get() if hasattr(matrix, "get") else matrix).astype(np.float64)
    ones = matrix.copy()
    ones.data[:] = 1
    for weighted, expected in ((None, matrix), (False, ones)):
        for transpose in (False, True):
            product = fr.SpMV(graph, transpose=transpose, weighted=weighted)
            right = (expected.T if transpose else expected) @ x
            for dtype, rtol in ((np.float64, 1e-12), (np.float32, 1e-6)):
                found = product.restore(product(product.arrange(xp.asarray(x.astype(dtype)))))
                assert np.allclose(host(found), right, rtol=rtol, atol=0)


def test_products_of_long_rows(structure, device, rng):
    n = 70_000  # more vertices than fit in shared memory, and a row of several pieces
    src = np.concatenate([np.zeros(n - 1, np.int64), rng.integers(0, n, 50_000)])
    dst = np.concatenate([np.arange(1, n), rng.integers(0, n, 50_000)])
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    product = fr.SpMV(graph)
    x = rng.random(n)
    found = host(product.restore(product(product.arrange(graph.xp.asarray(x)))))
    src, dst, _ = map(lambda a: None if a is None else host(a), graph.to_coo())
    expected = np.bincount(src, x[dst], n) + np.bincount(dst, x[src], n)
    assert np.allclose(found, expected, rtol=1e-12)


def test_products_refuse_other_vectors(structure, device):
    graph = make(structure, device, "path")
    product, xp = fr.SpMV(graph), graph.xp
    for bad in (xp.ones(3), xp.ones(300, np.int64), [1.0] * 300, xp.ones(600)[::2]):
        with pytest.raises((TypeError, ValueError), match="x must be"):
            product(bad)
    with pytest.raises((TypeError, ValueError), match="out must be"):
        product(xp.ones(300), out=xp.ones(300, np.float32))


# ---- incremental ----------------------------------------------------------------------------------------------------


def check(graph, ranks, **options):
    """The ranks are as near to the exact ones as the ranks of a run from scratch."""
    exact = exact_ranks(graph, ranks.alpha, **options)
    found = host(ranks.pagerank)
    error, bound = np.abs(exact - found).sum(), ranks.tol * ranks.alpha / (1 - ranks.alpha)
    assert error < bound + 1e-14, f"off by {error:.3g}, where tol={ranks.tol} allows {bound:.3g}"
    assert graph.num_vertices == 0 or abs(found.sum() - (exact.sum() > 0)) < 1e-12


@pytest.mark.parametrize("kind", [None, pytest.param("float32", marks=pytest.mark.slow)], ids=["unweighted", "float32"])
@pytest.mark.sampled("kind", of=2)
def test_ranks_keep_up(structure, device, orientation, kind, rng):
    graph = structure(150, **orientation, device=device, weight_dtype=kind)
    ranks = DynamicPageRank(graph, tol=1e-7)
    for step in range(8):
        src, dst = rng.integers(0, 150, (2, 50 if step % 2 else 5))
        if step % 3 == 2:
            graph.delete_edges(src, dst)
        else:
            graph.insert_edges(src, dst, None if kind is None else rng.random(src.size).astype(np.float32))
        check(graph, ranks)
    src, dst, _ = graph.to_coo()
    graph.delete_edges(src[::2], dst[::2])
    check(graph, ranks)
    graph.delete_vertices([3, 5])
    check(graph, ranks)
    graph.insert_vertices(10)
    check(graph, ranks)
    src, dst, _ = graph.to_coo()
    graph.delete_edges(src, dst)
    check(graph, ranks)


class Counted:
    """How often methods of `DynamicPageRank` are called."""

    def __init__(self, monkeypatch, *names):
        self.calls = dict.fromkeys(names, 0)
        for name in names:
            monkeypatch.setattr(DynamicPageRank, name, self.counting(name, getattr(DynamicPageRank, name)))

    def counting(self, name, method):
        def call(*args):
            self.calls[name] += 1
            return method(*args)

        return call


def test_few_changes_sweep_over_no_arcs(structure, device, orientation, monkeypatch):
    """Ranks near the change move, and are pushed. Nothing is computed from all arcs, with in-edges or without."""
    ids = np.arange(100 * 100).reshape(100, 100)
    src, dst = (np.concatenate([a.ravel(), b.ravel()]) for a, b in ((ids[1:], ids[:, 1:]), (ids[:-1], ids[:, :-1])))
    graph = structure.from_edges(src, dst, num_vertices=ids.size, device=device, **orientation)
    ranks = DynamicPageRank(graph, tol=1e-5)
    counted = Counted(monkeypatch, "_gather", "_push")
    for step in (0, 5000):
        graph.insert_edges(ids[30, :1] + step, ids[50, 50:51])
        found = host(ranks.pagerank)
        graph.delete_edges(src[step : step + 1], dst[step : step + 1])
        assert not np.array_equal(host(ranks.pagerank), found)
    assert counted.calls["_push"] > 0 and counted.calls["_gather"] == 0
    expected = host(pagerank(graph, tol=1e-9).pagerank)
    assert np.abs(host(ranks.pagerank) - expected).sum() < 1e-5 * 0.85 / 0.15


@pytest.mark.slow
@pytest.mark.parametrize("copied", ["never", "always"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_changes(device, directed, weighted, copied, monkeypatch):
    """After changes everywhere, all vertices send their pending amount, from the graph or from a copy. Whether a
    copy is expected to pay is asked once."""
    edges = fr.io.rmat(9, 12, seed=3)
    src, dst = host(edges.src), host(edges.dst)
    weights = np.random.default_rng(3).random(src.size) + 0.5 if weighted else None
    graph = SlabGraph.from_edges(
        src, dst, weights, num_vertices=edges.num_vertices, directed=directed, device=device
    )  # fmt: skip
    ranks, made, product_for = DynamicPageRank(graph, tol=1e-10), [], DynamicPageRank._product_for

    def prepare(self, rounds):
        made.append(product_for(self, rounds, "csr" if copied == "always" else "native"))
        return made[-1]

    monkeypatch.setattr(DynamicPageRank, "_product_for", prepare)
    monkeypatch.setattr(Trials, "pays", lambda self, size: True)  # regardless of the cost of the last batch
    src, dst = np.random.default_rng(4).integers(0, edges.num_vertices, (2, 3000))
    for update in (graph.insert_edges, graph.delete_edges):
        update(src, dst, *([np.full(src.size, 2.0)] if weighted and update == graph.insert_edges else []))
        made.clear()
        found, expected = host(ranks.pagerank), host(pagerank(graph, tol=1e-13, max_iter=1000).pagerank)
        assert len(made) == 1 and ranks._product is None
        assert np.abs(found - expected).sum() < 1e-10 * 0.85 / 0.15 + 1e-12


def test_vertices_with_many_edges_are_not_pushed(device, monkeypatch):
    """Their pending amount is left to sums over all arcs, which are fewer than without pushes."""
    edges = fr.io.rmat(11, 16, seed=3)
    graph = SlabGraph.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device=device)
    src, dst = np.random.default_rng(4).integers(0, edges.num_vertices, (2, 500))
    sums, most, traverse = [], [], fr.traverse

    def noting(graph, active, *args, **options):
        most.append(int(graph.degrees()[active.vertices].max()))
        return traverse(graph, active, *args, **options)

    monkeypatch.setattr(fr, "traverse", noting)
    for share in (1 / 8, 0):
        monkeypatch.setattr(DynamicPageRank, "_local_share", share)
        ranks, counted = DynamicPageRank(graph, tol=1e-8), Counted(monkeypatch, "_gather")
        most.clear()
        for update in (graph.insert_edges, graph.delete_edges):
            update(src, dst)
            check(graph, ranks)
        sums.append(counted.calls["_gather"])
        assert bool(most) == (share > 0)
        assert all(degree <= 2 * graph.num_arcs / graph.num_vertices + 1 for degree in most)
    assert sums[0] < sums[1]


def test_slow_graphs_take_few_rounds(device, monkeypatch):
    """In an undirected graph, conjugate directions need a fraction of the rounds of products."""
    ids = np.arange(60 * 60).reshape(60, 60)
    src, dst = (np.concatenate([a.ravel(), b.ravel()]) for a, b in ((ids[1:], ids[:, 1:]), (ids[:-1], ids[:, :-1])))
    graph = SlabGraph.from_edges(src, dst, num_vertices=ids.size, device=device)
    ranks = DynamicPageRank(graph, tol=1e-10)
    graph.delete_edges(src[::40], dst[::40])
    counted = Counted(monkeypatch, "_gather")
    found, exact = host(ranks.pagerank), pagerank(graph, tol=1e-10, max_iter=1000)
    assert 3 * counted.calls["_gather"] < exact.iterations
    assert np.abs(found - host(exact.pagerank)).sum() < 2e-10 * 0.85 / 0.15


def test_directions_that_fail_are_given_up(device, monkeypatch):
    """If they no longer reduce the pending amount, products do."""
    graph = make(SlabGraph, device, "wheel")
    ranks = DynamicPageRank(graph, tol=1e-10)
    monkeypatch.setattr(pagerank_functors, "slope", _flat)
    graph.delete_edges([2], [3])
    check(graph, ranks)


def _flat(v, column, *args):
    return 0.0


def test_ranks_are_settled_once(structure, device, monkeypatch):
    graph = make(structure, device, "wheel")
    ranks = DynamicPageRank(graph)
    graph.insert_edges([2], [7])
    first, counted = host(ranks.pagerank), Counted(monkeypatch, "_measure")
    assert (host(ranks.pagerank) == first).all() and counted.calls["_measure"] == 0


def growing_stream(rng, num_vertices, batches, size=16):
    """Batches whose vertices are more and more, the first ones most often: sources and destinations."""
    for step in range(batches):
        known = min(10 + 4 * step, num_vertices)
        yield (known * rng.random((2, size)) ** 2).astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [None, "int64"], ids=["unweighted", "int64"])
@pytest.mark.sampled("kind", of=2)
def test_ranks_of_streams_are_exact(structure, device, orientation, kind, rng):
    graph = structure(200, **orientation, device=device, weight_dtype=kind)
    all_ranks = [DynamicPageRank(graph, alpha, tol) for alpha in (0.5, 0.85) for tol in (1e-3, 1e-5)]
    for step, (src, dst) in enumerate(growing_stream(rng, 200, 40)):
        graph.insert_edges(src, dst, None if kind is None else rng.integers(1, 9, src.size))
        if step % 4 == 3:
            src, dst, _ = map(lambda a: None if a is None else host(a), graph.to_coo())
            gone = rng.integers(0, src.size, src.size // 10)
            graph.delete_edges(src[gone], dst[gone])
        for ranks in all_ranks:
            check(graph, ranks)


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER, reason="DYNFRONTIER_DATA is not set")
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("name", ["CollegeMsg", "email-Eu-core-temporal", "sx-mathoverflow"])
def test_ranks_of_published_streams_are_exact(device, name, directed, weighted, rng):
    stream = fr.io.read_stream(locate(f"{name}.txt.gz"), 256 if name == "CollegeMsg" else 4096)
    dtype = "float32" if weighted else None
    graph = structures()["hornet"](stream.num_vertices, directed=directed, device=device, weight_dtype=dtype)
    all_ranks = [DynamicPageRank(graph, alpha, 1e-5) for alpha in (0.5, 0.85)]
    for step, batch in zip(range(25), stream, strict=False):
        src, dst = host(batch.src), host(batch.dst)
        graph.insert_edges(src, dst, rng.random(src.size).astype(np.float32) if weighted else None)
        if step % 3 == 2:
            graph.delete_edges(src[::2], dst[::2])
        for ranks in all_ranks:
            check(graph, ranks)


@pytest.mark.slow
def test_tight_tolerances_hold_over_many_batches(structure, device, rng):
    graph = structure(60, device=device)
    ranks = DynamicPageRank(graph, tol=3e-14)
    for src, dst in growing_stream(rng, 60, 150, size=2):
        graph.insert_edges(src, dst)
        graph.delete_edges(dst[:1], src[:1])
        check(graph, ranks)


def test_ranks_that_do_not_converge_raise_until_they_have(structure, device, directed, rng):
    graph = structure(100, directed=directed, device=device)
    ranks = DynamicPageRank(graph, tol=1e-8, max_iter=7)  # enough without edges
    graph.insert_edges(*rng.integers(0, 100, (2, 300)))
    for _ in range(2):
        with pytest.raises(ConvergenceError, match="max_iter=7"):
            _ = ranks.pagerank
    graph.insert_edges(*rng.integers(0, 100, (2, 3)))  # meanwhile the graph may change
    for _ in range(100):
        try:
            check(graph, ranks)
            break
        except ConvergenceError:
            continue
    else:
        raise AssertionError("to ask again does not go on")
    with pytest.raises(ConvergenceError, match="max_iter=7"):
        DynamicPageRank(graph, tol=1e-8, max_iter=7)


@pytest.mark.parametrize("options", [{"tol": 1e-320}, {"alpha": 1 - 1e-12}], ids=["tolerance", "alpha"])
def test_what_cannot_converge_ends(structure, device, directed, options):
    graph = make(structure, device, "path", directed)
    if "alpha" in options and not directed:  # slow without conjugate directions. Ranks are proportional to degrees
        ranks, degrees = DynamicPageRank(graph, personalization={0: 1}, max_iter=5000, **options), graph.degrees()
        assert host(abs(ranks.pagerank - degrees / degrees.sum())).max() < 1e-6
        return
    with pytest.raises(ConvergenceError, match="DynamicPageRank"):
        DynamicPageRank(graph, personalization={0: 1}, max_iter=200, **options)


def test_without_steps_ranks_are_the_jump(structure, device, directed):
    graph = make(structure, device, "wheel", directed)
    ranks = DynamicPageRank(graph, alpha=0, personalization={3: 1.0, 4: 3.0})
    graph.insert_edges([3], [10])
    found = host(ranks.pagerank)
    assert found[3] == 0.25 and found[4] == 0.75 and found.sum() == 1


@pytest.mark.parametrize("name", ["rmat", "grid"])
def test_single_edges(structure, device, name, rng):
    graph = make(structure, device, name)
    ranks = DynamicPageRank(graph, alpha=0.7, tol=1e-6)
    for _ in range(4):
        u, v = rng.integers(0, graph.num_vertices, (2, 1))
        graph.insert_edges(u, v)
        check(graph, ranks)
        graph.delete_edges(u, v)
        check(graph, ranks)


def test_personal_ranks_keep_up(structure, device, rng):
    graph = make(structure, device, "road")
    ranks = DynamicPageRank(graph, personalization={5: 1, 9: 2}, tol=1e-8)
    graph.insert_edges([5, 9], [100, 200])
    check(graph, ranks, personalization={5: 1, 9: 2})
    graph.delete_vertices([9])
    check(graph, ranks, personalization={5: 1})
    graph.delete_vertices([5])
    check(graph, ranks)


def test_new_vertices_get_no_share_of_deleted_ones(structure, device):
    graph = make(structure, device, "road")
    ranks = DynamicPageRank(graph, personalization={5: 1, 9: 2}, tol=1e-8)
    graph.delete_vertices([9])
    assert graph.insert_vertices(1).tolist() == [9]
    graph.insert_edges([9], [7])
    check(graph, ranks, personalization={5: 1})


@pytest.mark.slow
@pytest.mark.parametrize("bad", [-0.5, np.inf])
def test_bad_weights_raise_while_they_are_there(structure, device, bad):
    graph = structure.from_edges([0, 1, 2], [1, 2, 3], np.ones(3), device=device)
    ranks = DynamicPageRank(graph, tol=1e-8)
    graph.insert_edges([0], [3], [bad])
    graph.insert_vertices(1)
    for _ in range(2):
        with pytest.raises(ValueError, match="weights"):
            _ = ranks.pagerank
    graph.delete_edges([0], [3])
    check(graph, ranks)
    graph.insert_edges([0], [4], [2.0])
    check(graph, ranks)
    graph.insert_edges([0], [3], [bad])
    with pytest.raises(ValueError, match="weights"):
        ranks.close()
    assert not graph._observers.live()


@pytest.mark.parametrize("bad", [[1e308, 1e308], [1e-310, 2e-310]], ids=["overflow", "underflow"])
def test_weights_whose_sums_float64_cannot_hold_are_refused(structure, device, bad):
    graph = structure.from_edges([0, 1, 2], [1, 2, 3], np.ones(3), device=device)
    ranks = DynamicPageRank(graph)
    graph.insert_edges([0, 0], [2, 3], bad)
    graph.delete_edges([0], [1])
    for rank in (lambda: pagerank(graph), lambda: ranks.pagerank):
        with pytest.raises(ValueError, match="weights"):
            rank()


def test_extreme_weights(structure, device):
    for size in (1e-40, 1e40):
        graph = structure.from_edges([0, 1, 2, 2], [1, 2, 3, 0], np.array([1, 2, 3, 4]) * size, device=device)
        verify_pagerank(graph, pagerank(graph))


def test_failed_updates_leave_ranks_alone(structure, device):
    graph = make(structure, device, "clique")
    ranks = DynamicPageRank(graph)
    before = host(ranks.pagerank)
    for update in (graph.insert_edges, graph.delete_edges):
        with pytest.raises(ValueError, match="src"):
            update([0, graph.num_vertices], [1, 2])
        assert (host(ranks.pagerank) == before).all()


def test_closed_ranks_keep_up_no_more(structure, device):
    graph = structure(4, device=device)
    ranks = DynamicPageRank(graph)
    graph.insert_edges([0], [1])
    ranks.close()
    before = host(pagerank(graph, tol=1e-9).pagerank)
    graph.insert_edges([0, 1], [2, 3])
    graph.insert_vertices(2)
    assert np.allclose(host(ranks.pagerank), before, atol=1e-4) and ranks.pagerank.size == 4
