"""Algorithms on the graph as it is stored, and on a copy: the same results, from every structure."""

import importlib

import numpy as np
import pytest
from centrality_verifiers import verify_pagerank
from graphs import GRAPHS
from verifiers import host, verify_k_truss, verify_triangles, verify_truss_numbers

import frontier as fr
from algorithms import k_truss, pagerank, triangle_count, truss_numbers
from frontier.core.registry import csr_structure

# By its module's name, which the package's class hides.
places_module = importlib.import_module("frontier.operators.degree_order")
LAYOUTS = ("native", "csr", "auto")


def same(one, other):
    return (host(one) == host(other)).all()


@pytest.fixture(params=["rmat", "clique", "road", "hubs", "isolated", "empty"])
def stored(request, structure, device, rng):
    """A graph whose lists have seen updates: some edges came later, some have gone, and so have vertices."""
    if request.param == "hubs":  # more neighbors than a thread block processes at a time
        n = 1500
        around = np.arange(3, n)
        src = np.r_[0 * around, 0 * around + 1, 0 * around + 2, rng.integers(3, n, 3000), 0, 0, 1]
        dst = np.r_[around, around, around, rng.integers(3, n, 3000), 1, 2, 2]
    elif request.param == "isolated":
        n, src, dst = 9, np.array([0, 7]), np.array([5, 1])
    elif request.param == "empty":
        n, src, dst = 4, np.zeros(0, int), np.zeros(0, int)
    else:
        src, dst, n = GRAPHS[request.param]
    half = src.size // 2
    graph = structure.from_edges(src[half:], dst[half:], num_vertices=n, device=device)
    graph.insert_edges(src[:half], dst[:half])
    graph.delete_edges(src[::7], dst[::7])
    graph.delete_vertices([n - 1, n // 2])
    return graph


@pytest.mark.parametrize("listed", [4, 0], ids=["some-listed", "none-listed"])
def test_triangles(stored, monkeypatch, listed):
    monkeypatch.setattr(places_module, "LISTED_ARCS", listed)
    native, copied = (triangle_count(stored, layout=layout) for layout in LAYOUTS[:2])
    verify_triangles(stored, native)
    assert native.total == copied.total == triangle_count(stored, per_vertex=False, layout="native").total
    assert same(native.per_vertex, copied.per_vertex)
    assert (native.layout.is_copy, copied.layout.is_copy) == (False, True)


@pytest.mark.parametrize("listed", [4, 0], ids=["some-listed", "none-listed"])
def test_support(stored, monkeypatch, listed):
    monkeypatch.setattr(places_module, "LISTED_ARCS", listed)
    orientation = fr.advanced.Orientation(stored)
    support = host(fr.advanced.edge_support(orientation))
    assert support.shape == (stored.edge_capacity,) and support.dtype == np.int32
    src, dst, _ = stored.to_coo()
    rank = host(orientation.rank)
    upward = rank[host(src)] > rank[host(dst)]
    there, back = host(stored.find_edges(src, dst)), host(stored.find_edges(dst, src))
    expected = host(fr.intersect(stored, src, dst))
    assert (support[np.where(upward, there, back)] == expected).all()
    assert support.sum() == expected.sum()


@pytest.mark.slow
@pytest.mark.parametrize("edges", ["ids"])
@pytest.mark.sampled("edges", of=4)
def test_support_by_the_ids_of_edges(structure, device, rng, edges):
    src, dst, n = GRAPHS["rmat"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device, edge_data={})
    graph.delete_edges(src[::5], dst[::5])
    src, dst, _ = graph.to_coo()
    support = fr.advanced.edge_support(fr.advanced.Orientation(graph))
    assert same(support[graph.find_edges(src, dst)], fr.intersect(graph, src, dst))
    verify_k_truss(graph, k_truss(graph, 4, layout="native"))
    found = graph.successors(host(src)[:9])
    plain = structure.from_edges(src, dst, num_vertices=n, device=device).successors(host(src)[:9])
    assert found[2] is None and all(same(*pair) for pair in zip(found[:2], plain[:2], strict=True))


def test_an_orientation_by_other_degrees(structure, device, rng):
    src, dst = rng.integers(0, 60, (2, 900))
    graph = structure.from_edges(src, dst, num_vertices=60, device=device)
    kept = np.arange(60) % 4 != 0
    part = csr_structure().from_edges(*(host(a) for a in graph.to_coo()[:2]), num_vertices=60, device=device)
    part.delete_vertices(np.flatnonzero(~kept))
    degrees = graph.xp.asarray(np.where(kept, rng.integers(5, 9, 60), 3))
    tally = graph.xp.zeros(60, np.int64)
    total = fr.advanced.intersect_arcs(fr.advanced.Orientation(graph, degrees, 5), tally=tally)
    expected = triangle_count(part)
    assert total == expected.total and same(tally, expected.per_vertex)


def test_many_upper_neighbors(device):
    """More than fit into a thread block's table at once, of listed and unlisted vertices."""
    n = 4300
    i, j = np.triu_indices(60, 1)
    around = np.arange(60, n)
    # Each of the rest has a hub's degree, and so is above the vertices that are joined to all of them.
    src, dst = np.r_[i, np.repeat(np.arange(60), around.size)], np.r_[j, np.tile(around, 60)]
    graph = csr_structure().from_edges(src, dst, num_vertices=n, device=device)
    degrees = graph.xp.asarray(np.r_[np.full(60, 1), np.full(n - 60, 2)])
    tally = graph.xp.zeros(n, np.int64)
    fr.advanced.intersect_arcs(fr.advanced.Orientation(graph, degrees), tally=tally)
    assert same(tally, triangle_count(graph, layout="csr").per_vertex)


def test_trusses(stored):
    for k in (2, 3, 4, 6):
        native = k_truss(stored, k, layout="native")
        verify_k_truss(stored, native)
        assert not native.layout.is_copy and k_truss(stored, k, layout="csr").layout.is_copy
    numbers = truss_numbers(stored, layout="native")
    verify_truss_numbers(stored, numbers)
    copied = truss_numbers(stored, layout="csr")
    for name in ("src", "dst", "truss"):
        assert same(getattr(numbers, name), getattr(copied, name))


@pytest.mark.parametrize("weight_dtype", [None, "float32", pytest.param("int64", marks=pytest.mark.slow)])
@pytest.mark.sampled("weight_dtype", of=3)
def test_ranks(structure, device, rng, orientation, weight_dtype):
    src, dst, n = GRAPHS["rmat"]
    weights = None if weight_dtype is None else rng.integers(1, 9, src.size).astype(weight_dtype)
    graph = structure.from_edges(src, dst, weights, num_vertices=n, device=device, **orientation)
    graph.delete_vertices([0, 3])
    ranks = []
    for layout in LAYOUTS:
        found = pagerank(graph, tol=1e-9, layout=layout)
        verify_pagerank(graph, found, tol=1e-9)
        ranks.append(host(found.pagerank))
        assert layout in ("auto", found.layout.name)
    assert np.allclose(ranks[0], ranks[1], rtol=1e-6, atol=1e-12)


def test_products(structure, device, rng, orientation):
    src, dst, n = GRAPHS["rmat"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device, **orientation)
    graph.delete_vertices([2])
    x = graph.xp.asarray(rng.random(n).astype(np.float32))
    for transpose in (False, True):
        found = []
        for layout in LAYOUTS:
            product = fr.SpMV(graph, transpose=transpose, layout=layout)
            out = graph.xp.full(n, 7.0)
            product(product.arrange(x), out=out)
            found.append(host(product.restore(out)))
        assert np.allclose(found[0], found[1], rtol=1e-6) and np.allclose(found[0], found[2], rtol=1e-6)


def test_the_layout_says_why(structure, device):
    src, dst, n = GRAPHS["rmat"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    for act in (lambda **o: k_truss(graph, 3, **o), lambda **o: fr.SpMV(graph, **o), lambda **o: pagerank(graph, **o),
                lambda **o: triangle_count(graph, **o)):  # fmt: skip
        assert act(layout="native").layout == fr.advanced.ReadLayout("native", "layout='native' was asked for")
        assert str(act(layout="csr").layout) == "csr: layout='csr' was asked for"
        assert "a copy is expected to" in act().layout.reason
        with pytest.raises(ValueError, match="layout must be one of 'auto', 'native', 'csr', not 'always'"):
            act(layout="always")
        with pytest.raises(ValueError, match="layout must be one of 'auto', 'native', 'csr', not None"):
            act(layout=None)


@pytest.mark.parametrize(
    "costs, copied",
    [((1.0, 2.0), False), ((1.05, 1.0), False), ((2.0, 1.0), True), ((np.inf, 1.0), True), ((0, 0), False)],
)
def test_the_layout_expected_to_be_faster(device, costs, copied):
    graph = csr_structure()(3, device=device)
    assert fr.advanced.choose_layout(graph, "auto", lambda: costs).is_copy is copied
    too_large = fr.advanced.choose_layout(graph, "auto", lambda: costs, copy_bytes=2**60)
    assert not too_large.is_copy
    assert ("a copy would take 1,152,921,504,606,846,976 bytes" in too_large.reason) == copied


def test_slow_walks_ask_for_a_copy(structure, device, monkeypatch):
    src, dst, n = GRAPHS["rmat"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    kind = graph.device.kind
    assert structure.walk_cost.keys() == {"cpu", "gpu"} and min(structure.walk_cost.values()) >= 1
    if structure is not csr_structure():
        for cost, copied in ((1e-3, False), (1e9, True)):
            monkeypatch.setattr(structure, "walk_cost", {kind: cost})
            assert fr.SpMV(graph).layout.is_copy is copied
    monkeypatch.setattr(places_module, "LISTED_ARCS", 0)
    monkeypatch.setattr(structure, "walk_cost", {kind: 1e9})
    assert triangle_count(graph).layout.is_copy


def test_an_orientation_names_what_is_wrong(structure, device):
    graph = structure.from_edges([0, 1, 2], [1, 2, 0], device=device)
    with pytest.raises(ValueError, match="graph must be undirected"):
        fr.advanced.Orientation(structure(3, directed=True, device=device))
    with pytest.raises(ValueError, match="degrees must be of shape"):
        fr.advanced.Orientation(graph, graph.xp.zeros(2, np.int64))
    with pytest.raises(ValueError, match="least must be at least 0"):
        fr.advanced.Orientation(graph, least=-1)
    orientation = fr.advanced.Orientation(graph)
    with pytest.raises(ValueError, match="pairs cannot be given"):
        fr.advanced.intersect_arcs(orientation, graph)
    with pytest.raises(ValueError, match="down cannot be given"):
        fr.advanced.edge_support(orientation, graph)
    graph.delete_edges([0], [1])
    for act in (fr.advanced.intersect_arcs, fr.advanced.edge_support):
        with pytest.raises(RuntimeError, match="before an update"):
            act(orientation)


# ---- what sorted structures are spared -----------------------------------------------------------------------------


@pytest.fixture
def no_sort(structure, monkeypatch):
    """Fails where arcs of a structure that stores them in order are sorted."""

    def forbid(*args, **options):
        raise AssertionError("sorted")

    if structure(1, device="cpu").is_sorted:
        extract_module = importlib.import_module("frontier.operators.extract")
        for name in ("sort_rows", "sort_pairs", "arc_keys"):
            monkeypatch.setattr(extract_module, name, forbid)


def test_is_sorted_is_what_the_view_says(structure):
    cpu = importlib.import_module(f"{structure.package}.cpu")
    graph = structure.from_edges([0, 0], [1, 2], device="cpu")
    assert graph.is_sorted == cpu.SORTED == graph.copy().is_sorted
    part = fr.extract_subgraph(graph, everything)
    assert not part.is_sorted and not part.copy().is_sorted


def everything(src, dst, edge, weight):
    return True


def test_export_and_queries_in_order(stored, no_sort, structure, device, rng):
    for weight_dtype in (None, "float32"):
        graph = stored
        if weight_dtype is not None:  # a hub's list is copied by a thread block
            src, dst, _ = (host(a) if a is not None else None for a in stored.to_coo())
            weights = rng.random(src.size, np.float32)
            graph = structure.from_edges(src, dst, weights, num_vertices=stored.num_vertices, device=device)
        src, dst, weights = graph.to_coo()
        copied = graph.to_csr()
        keys = host(src).astype(np.int64) * graph.num_vertices + host(dst)
        assert (np.diff(keys) > 0).all() and (host(src) < host(dst)).all()
        offsets, indices = host(copied.offsets), host(copied.indices)
        assert copied.num_arcs == graph.num_arcs and (np.diff(offsets) == host(graph.degrees())).all()
        rows = np.repeat(np.arange(graph.num_vertices), np.diff(offsets))
        assert (host(graph.find_edges(rows, indices)) >= 0).all()
        ids = np.flatnonzero(host(graph.has_vertices(np.arange(graph.num_vertices))))
        some = ids[rng.integers(0, ids.size, 50)]
        bounds, found, values = graph.successors(some)
        expected = [indices[offsets[v] : offsets[v + 1]] for v in some]
        assert (host(bounds) == np.r_[0, np.cumsum([part.size for part in expected])]).all()
        assert (host(found) == np.concatenate(expected)).all()
        assert (host(graph.neighbors(int(some[0]))) == expected[0]).all()
        if weight_dtype is not None:
            assert (host(values) == host(graph.edge_weights(np.repeat(some, np.diff(host(bounds))), found))).all()
            assert (host(weights) == host(graph.edge_weights(src, dst))).all()
