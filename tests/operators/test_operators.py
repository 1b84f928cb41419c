"""Operators on every structure and device, against plain Python."""

import numpy as np
import pytest
from graphs import GRAPHS
from verifiers import adjacency, host

import frontier as fr
from frontier.core.registry import csr_structure

NAMES = ["rmat", "star", "grid"]


@pytest.fixture(params=NAMES)
def graph(request, structure, device):
    src, dst, n = GRAPHS[request.param]
    return structure.from_edges(src, dst, num_vertices=n, device=device)


@pytest.fixture
def weighted(structure, device, rng):
    src, dst, n = GRAPHS["rmat"]
    return structure.from_edges(src, dst, rng.integers(1, 100, src.size).astype(np.int32), n, True, device)


def visit(src, dst, edge, weight, distance, level):
    return fr.atomic_min(distance, dst, level) > level


def unseen(dst, distance, level):
    return distance[dst] > level


def levels(graph, source, **options):
    distance = graph.xp.full(graph.num_vertices, 1 << 20, np.int32)
    distance[source] = 0
    frontier, level = fr.Frontier(graph, [source]), 1
    while frontier:
        frontier = fr.advance(graph, frontier, visit, distance, np.int32(level), **options)
        level += 1
    return host(distance)


@pytest.mark.parametrize(
    "options",
    [{}, {"condition": unseen}, {"condition": unseen, "direction": "push"}, {"condition": unseen, "direction": "pull"},
     {"direction": "pull"}],
)  # fmt: skip
def test_advance_finds_levels(graph, options):
    matrix = adjacency(graph)
    source = int(np.argmax(host(graph.degrees())))
    expected = np.full(graph.num_vertices, 1 << 20)
    members, level = np.array([source]), 0
    while members.size:
        expected[members] = level
        level += 1
        reached = np.unique(matrix[members].indices)
        members = reached[expected[reached] == 1 << 20]
    assert (levels(graph, source, **options) == expected).all()


def everything(src, dst, edge, weight):
    return True


@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.sampled(by="file")
def test_an_output_is_a_set(graph, direction):
    reached = fr.advance(graph, fr.Frontier.all(graph), everything, direction=direction)
    members = host(reached.vertices)
    expected = np.flatnonzero(host(graph.degrees()))
    assert sorted(members.tolist()) == expected.tolist()
    assert len(reached) == expected.size and reached.num_arcs == graph.num_arcs


def note(src, dst, edge, weight, seen_src, seen_weight, count):
    seen_src[edge] = src
    seen_weight[edge] = weight
    fr.atomic_add(count, dst, 1)
    return False


def test_advance_hands_over_each_edge_once(weighted):
    xp = weighted.xp
    seen_src = xp.full(weighted.slot_capacity, -1, np.int64)
    seen_weight = xp.zeros(weighted.slot_capacity, np.int32)
    count = xp.zeros(weighted.num_vertices, np.int64)
    out = fr.advance(weighted, fr.Frontier.all(weighted), note, seen_src, seen_weight, count)
    assert not out and len(out) == 0
    src, dst, weights = weighted.to_coo()
    slots = weighted.find_edges(src, dst)
    assert np.unique(host(slots)).size == weighted.num_edges
    assert (host(seen_src[slots]) == host(src)).all() and (host(seen_weight[slots]) == host(weights)).all()
    assert (host(count) == np.bincount(host(dst), minlength=weighted.num_vertices)).all()


def weigh(src, dst, edge, weight, x):
    return weight * x[dst]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("reduce", ["sum", "min", "max"])
@pytest.mark.sampled("reduce", "dtype", of=3)
def test_neighbor_reduce(weighted, dtype, reduce, rng):
    x = rng.integers(-50, 50, weighted.num_vertices).astype(dtype)
    found = host(fr.neighbor_reduce(weighted, None, weigh, weighted.xp.asarray(x), reduce=reduce, dtype=dtype))
    src, dst, weights = (host(a) for a in weighted.to_coo())
    values = (weights * x[dst]).astype(dtype)
    function, start = {
        "sum": (np.add, 0),
        "min": (np.minimum, np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max),
        "max": (np.maximum, -np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min),
    }[reduce]
    expected = np.full(weighted.num_vertices, start, dtype)
    function.at(expected, src, values)
    assert found.dtype == dtype and (found == expected).all()


@pytest.mark.sampled(by="file")
def test_neighbor_reduce_touches_only_the_frontier(graph):
    out = graph.xp.full(graph.num_vertices, -7.0)
    frontier = fr.Frontier(graph, [0, 3])
    fr.neighbor_reduce(graph, frontier, lambda src, dst, edge, weight: weight, out=out)
    expected = np.full(graph.num_vertices, -7.0)
    expected[[0, 3]] = host(graph.degrees())[[0, 3]]
    assert (host(out) == expected).all()


def test_filter_and_compute(graph):
    xp = graph.xp
    kept = fr.filter(fr.Frontier.all(graph), lambda v, k: v % k == 1, 3)
    assert sorted(host(kept.vertices).tolist()) == list(range(1, graph.num_vertices, 3))
    out = xp.zeros(graph.num_vertices, np.float64)

    def halve(v, out):
        out[v] = v / 2

    fr.compute(kept, halve, out)
    expected = np.where(np.arange(graph.num_vertices) % 3 == 1, np.arange(graph.num_vertices) / 2, 0)
    assert (host(out) == expected).all()


def test_intersect_counts(graph, rng):
    us, vs = rng.integers(0, graph.num_vertices, (2, 500))
    matrix = adjacency(graph)
    product = (matrix[us] * matrix[vs]).sum(axis=1)
    product[us == vs] = host(graph.degrees())[us[us == vs]]
    assert (host(fr.intersect(graph, us, vs)) == product).all()
    assert host(fr.intersect(graph, [], [])).tolist() == []


def check_slots(u, v, w, edge_uw, edge_vw, source, target, wrong, found):
    fr.atomic_add(found, 0, 1)
    if source[edge_uw] != u or target[edge_uw] != w or source[edge_vw] != v or target[edge_vw] != w:
        fr.atomic_add(wrong, 0, 1)


def test_intersect_hands_over_the_right_slots(graph, rng):
    xp = graph.xp
    src, dst, _ = graph.to_coo()
    src, dst = xp.concatenate([src, dst]), xp.concatenate([dst, src])
    slots = graph.find_edges(src, dst)
    source, target = xp.full(graph.slot_capacity, -1, np.int64), xp.full(graph.slot_capacity, -1, np.int64)
    source[slots], target[slots] = src, dst
    us, vs = rng.integers(0, graph.num_vertices, (2, 500))
    wrong, found = xp.zeros(1, np.int64), xp.zeros(1, np.int64)
    fr.intersect(graph, us, vs, check_slots, source, target, wrong, found)
    assert int(wrong[0]) == 0 and int(found[0]) == int(fr.intersect(graph, us, vs).sum())


def test_intersect_of_lists_of_any_lengths(structure, device, rng):
    """Some pairs of sorted lists are merged, the rest looked up, and lists have gaps where edges were deleted."""
    n = 900
    src = np.r_[np.zeros(800, int), np.full(400, 1), rng.integers(2, 60, 300), rng.integers(100, n, 100)]
    dst = np.r_[rng.choice(n, 800, False), rng.choice(n, 400, False), rng.integers(2, n, 400)]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    graph.delete_edges(src[::3], dst[::3])
    matrix = adjacency(graph)
    every = np.arange(n)
    us, vs = np.r_[0 * every, every, 0 * every + 1], np.r_[every, rng.permutation(n), every]
    product = np.where(us == vs, host(graph.degrees())[us], (matrix[us] * matrix[vs]).sum(axis=1))
    assert (host(fr.intersect(graph, us, vs)) == product).all()


def test_intersect_arcs_counts_what_intersect_counts(graph):
    matrix = adjacency(graph)
    tally = graph.xp.zeros(graph.num_vertices, np.int64)
    total = fr.advanced.intersect_arcs(graph, tally=tally)
    assert total == int(((matrix @ matrix) * matrix).sum())
    assert int(tally.sum()) == 3 * total


@pytest.mark.parametrize("distance", [1, 40], ids=["close", "spread"])
def test_lists_that_exceed_a_set_are_looked_up_in_parts(device, distance):
    """Two hubs share all neighbors. Where ids are close together, a GPU's sets are bits."""
    leaves = 2 + distance * np.arange(2500)
    src, dst = np.r_[0, 0 * leaves, 0 * leaves + 1], np.r_[1, leaves, leaves]
    graph = csr_structure().from_edges(src, dst, device=device)
    tally = graph.xp.zeros(graph.num_vertices, np.int64)
    assert fr.advanced.intersect_arcs(graph, tally=tally) == 6 * leaves.size
    counts = host(tally)
    assert (counts[leaves] == 6).all() and counts.sum() == 3 * 6 * leaves.size


def upward(src, dst, edge, weight):
    return src < dst


def test_extract_subgraph(graph):
    part = fr.extract_subgraph(graph, upward)
    assert part.directed and part.num_arcs == graph.num_edges
    assert (adjacency(part) != _upper(adjacency(graph))).nnz == 0


def _upper(matrix):
    from scipy.sparse import triu

    return triu(matrix, format="csr")


def reach(src, dst, edge, weight, distance, step):
    return fr.atomic_min(distance, dst, step) > step


@pytest.mark.parametrize("limits", [(4096, 8192), (2, 3), (-1, -1)], ids=["large", "small", "none"])
@pytest.mark.sampled(by="file")
def test_traverse_is_a_loop_of_advances(graph, limits, monkeypatch):
    import sys

    module = sys.modules["frontier.operators.traverse.traversal"]
    monkeypatch.setattr(module, "SMALL_COUNT", limits[0])
    monkeypatch.setattr(module, "SMALL_ARCS", limits[1])
    distance = graph.xp.full(graph.num_vertices, 1 << 20, np.int32)
    distance[5] = 0
    steps = fr.traverse(graph, fr.Frontier(graph, [5]), reach, distance, fr.advanced.StepCounter(1))
    assert (host(distance) == levels(graph, 5)).all()
    reached = host(distance)
    assert steps == reached[reached < 1 << 20].max() + 1
    distance = graph.xp.full(graph.num_vertices, 1 << 20, np.int32)
    distance[5] = 0
    assert fr.traverse(graph, fr.Frontier(graph, [5]), reach, distance, fr.advanced.StepCounter(1), max_steps=1) == 1
    assert (host(distance) <= 1).sum() == 1 + int(graph.degrees()[5])


def test_frontiers(graph):
    n = graph.num_vertices
    frontier = fr.Frontier(graph, [5, 1, 5, n - 1])
    assert len(frontier) == 3 and frontier and sorted(host(frontier.vertices).tolist()) == [1, 5, n - 1]
    assert frontier.num_arcs == int(graph.degrees()[[1, 5, n - 1]].sum())
    bits = np.unpackbits(host(frontier.bits).view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == [1, 5, n - 1]
    assert not fr.Frontier(graph) and len(fr.Frontier.all(graph)) == n
    everything_pulled = fr.advance(graph, fr.Frontier.all(graph), everything, direction="pull")
    assert np.unique(host(everything_pulled.vertices)).size == len(everything_pulled)
    for bad in ([n], [-1], [0.5], "x"):
        with pytest.raises((ValueError, TypeError), match="vertices"):
            fr.Frontier(graph, bad)


def test_what_operators_refuse(graph, device):
    xp = graph.xp
    start = fr.Frontier(graph, [0])
    x = xp.zeros(graph.num_vertices)
    with pytest.raises(ValueError, match="direction"):
        fr.advance(graph, start, everything, direction="sideways")
    with pytest.raises(fr.FunctorError, match="4 parameters"):
        fr.advance(graph, start, everything, x)
    with pytest.raises(fr.FunctorError, match="plain Python function"):
        fr.advance(graph, start, len)
    with pytest.raises(fr.FunctorError, match=r"argument 0.*contiguous"):
        fr.advance(graph, start, lambda src, dst, edge, weight, x: True, x[::2])
    with pytest.raises(fr.FunctorError, match=r"argument 0.*str"):
        fr.advance(graph, start, lambda src, dst, edge, weight, x: True, "text")
    with pytest.raises(fr.FunctorError, match=r"argument 0.*complex"):
        fr.advance(graph, start, lambda src, dst, edge, weight, x: True, xp.zeros(3, complex))
    with pytest.raises(TypeError, match="frontier"):
        fr.advance(graph, [0], everything)
    other = type(graph)(3, device=device)
    with pytest.raises(ValueError, match="another graph"):
        fr.advance(other, start, everything)
    with pytest.raises(ValueError, match="reduce"):
        fr.neighbor_reduce(graph, None, everything, reduce="product")
    with pytest.raises(ValueError, match="same length"):
        fr.intersect(graph, [0, 1], [0])
    with pytest.raises(ValueError, match="us"):
        fr.intersect(graph, [graph.num_vertices], [0])
    directed = type(graph).from_edges([0], [1], directed=True, device=device)
    with pytest.raises(ValueError, match="pull"):
        fr.advance(directed, fr.Frontier(directed, [0]), everything, direction="pull")


def misspelt(src, dst, edge, weight, x):
    y = x[dst]
    return y > unknown_name  # noqa: F821


def uses_a_method(src, dst, edge, weight, x):
    first = x[0]
    return x.no_such_thing > first


@pytest.mark.parametrize("op, line", [(misspelt, "return y > unknown_name"), (uses_a_method, "return x.no_such_thing")])
@pytest.mark.sampled(by="file")
def test_errors_show_the_line(graph, op, line):
    with pytest.raises(fr.FunctorError) as caught:
        fr.advance(graph, fr.Frontier(graph, [0]), op, graph.xp.zeros(graph.num_vertices))
    assert op.__name__ in str(caught.value) and line in str(caught.value)


def test_functors_see_new_values_of_what_they_close_over(graph):
    def make(k):
        return lambda v: v < k

    everyone = fr.Frontier.all(graph)
    assert [len(fr.filter(everyone, make(k))) for k in (3, 7, 3)] == [3, 7, 3]


def mark(src, dst, edge, weight, seen, slots, total):
    slots[seen[src]] = edge
    fr.atomic_add(total, 0, weight)
    return edge >= 0


def test_visit_edges_sees_listed_arcs(weighted):
    src, dst, weights = map(host, weighted.to_coo())
    n = weighted.num_vertices
    some = np.flatnonzero(np.unique(src, return_index=True)[1] % 3 == 0)
    first = np.unique(src, return_index=True)[1][some]  # arcs with distinct sources: each has an entry for its result
    us, vs = np.append(src[first], [-1, 0]), np.append(dst[first], [5, 0])  # one to pass over, one that is not there
    xp = weighted.xp
    place = np.zeros(n, np.int64)
    place[us[:-2]] = np.arange(us.size - 2)
    place[0] = us.size - 1
    slots = xp.full(us.size, -7, np.int64)
    total = xp.zeros(1, np.float64)
    keep = us[:-2] != 0
    us, vs = np.append(us[:-2][keep], [-1, 0]), np.append(vs[:-2][keep], [5, 0])
    out = fr.visit_edges(weighted, xp.asarray(us), xp.asarray(vs), mark, xp.asarray(place), slots, total)
    assert sorted(host(out.vertices).tolist()) == np.unique(vs[:-2]).tolist()
    assert out.num_arcs == int(host(weighted.degrees())[np.unique(vs[:-2])].sum())
    found = host(slots)
    assert (found[place[us[:-2]]] == host(weighted.find_edges(us[:-2], vs[:-2]))).all()
    assert found[place[0]] == -1
    assert float(total[0]) == weights[first][keep].sum() + 1


@pytest.mark.sampled(by="file")
def test_visit_edges_without_an_output(weighted):
    src, dst, weights = map(host, weighted.to_coo())
    n, xp = weighted.num_vertices, weighted.xp
    times, total = xp.zeros(n, np.int64), xp.zeros(1, np.float64)

    def note(u, v, edge, weight, times, total):
        fr.atomic_add(times, v, 1 if edge >= 0 else 100)
        fr.atomic_add(total, 0, weight)

    us, vs = np.append(src, [-1, n, 0, 0, 0]), np.append(dst, [5, 0, n, -1, 0])  # the last is absent, the rest no ids
    assert fr.visit_edges(weighted, xp.asarray(us), xp.asarray(vs), note, times, total, output=False) is None
    assert host(times).tolist() == (np.bincount(dst, minlength=n) + 100 * (np.arange(n) == 0)).tolist()
    assert float(total[0]) == weights.sum() + 1
    assert fr.visit_edges(weighted, [], [], note, times, total, output=False) is None


def test_visit_edges_refuses_ids_out_of_range(weighted):
    n = weighted.num_vertices
    slots, total = weighted.xp.zeros(n, np.int64), weighted.xp.zeros(1, np.float64)
    seen = weighted.xp.zeros(n, np.int64)
    for src, dst in (([0, n], [1, 1]), ([0, 1], [n, 1]), ([0, 1], [1, -1])):
        with pytest.raises(ValueError, match="1 of the 2 arcs"):
            fr.visit_edges(weighted, src, dst, mark, seen, slots, total)
    with pytest.raises(ValueError, match="src"):
        fr.visit_edges(weighted, [0, 1], [1], mark, seen, slots, total)
    assert not fr.visit_edges(weighted, [], [], mark, seen, slots, total)


def take(v, x, factor):
    x[v] = x[v] * factor
    return x[v]


@pytest.mark.parametrize("kind", ["sum", "min", "max"])
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_reduce_gives_one_number(graph, rng, kind, dtype):
    values = rng.integers(-1000, 1000, graph.num_vertices).astype(dtype)
    members = np.flatnonzero(rng.random(graph.num_vertices) < 0.4)
    x = graph.xp.asarray(values.copy())
    found = fr.reduce(fr.Frontier(graph, members), take, x, 3, reduce=kind, dtype=dtype)
    assert found.dtype == dtype and found.shape == (1,)
    assert float(found[0]) == getattr(values[members] * 3, kind)()
    assert (host(x)[members] == values[members] * 3).all()


def count_both(src, dst, edge, weight, seen):
    fr.atomic_add(seen, src, 1)
    return True


@pytest.mark.parametrize("edges", ["out", "in"])
@pytest.mark.sampled(by="file")
def test_advance_without_an_output(graph, rng, edges):
    seen = graph.xp.zeros(graph.num_vertices, np.int64)
    members = np.flatnonzero(rng.random(graph.num_vertices) < 0.4)
    frontier = fr.Frontier(graph, members)
    assert fr.advance(graph, frontier, count_both, seen, edges=edges, output=None) is None
    expected = np.zeros(graph.num_vertices, np.int64)
    expected[members] = host(graph.degrees())[members]
    assert (host(seen) == expected).all()
    assert fr.advance(graph, fr.Frontier(graph), count_both, seen, output=None) is None
    with pytest.raises(ValueError, match="output=None"):
        fr.advance(graph, frontier, count_both, seen, direction="pull", output=None)


def one_of_two(v, column, x, y):
    if column == 0:
        x[v] += 1
    return x[v] if column == 0 else x[v] * y[v] + column


def one_of_edge(src, dst, edge, weight, column, x):
    return x[src] if column == 0 else x[dst]


@pytest.mark.parametrize("kind", ["sum", "max"])
def test_reduce_in_columns(graph, rng, kind):
    """The columns of a member are evaluated in order, so the first may change values that the next ones read."""
    members = np.flatnonzero(rng.random(graph.num_vertices) < 0.4)
    old, y = rng.integers(-1000, 1000, (2, graph.num_vertices)).astype(np.int64)
    x = graph.xp.asarray(old.copy())
    frontier = fr.Frontier(graph, members)
    found = fr.reduce(frontier, one_of_two, x, graph.xp.asarray(y), reduce=kind, dtype="int64", columns=3)
    new = old[members] + 1
    assert found.shape == (3,) and (host(x)[members] == new).all()
    expected = [getattr(values, kind)() for values in (new, new * y[members] + 1, new * y[members] + 2)]
    assert host(found).tolist() == expected
    nobody, out = fr.Frontier(graph), graph.xp.full(2, 5.0)
    assert fr.reduce(nobody, one_of_two, x, x, columns=2, out=out) is out and host(out).tolist() == [0, 0]
    arcs = fr.EdgeFrontier.all(graph)
    found = fr.reduce(arcs, one_of_edge, x, reduce=kind, dtype="int64", columns=2)
    of_ends = [getattr(host(x)[host(ends)], kind)() for ends in (arcs.src, arcs.dst)]
    assert host(found).tolist() == of_ends
    for columns in (0, 33):
        with pytest.raises(ValueError, match="columns"):
            fr.reduce(frontier, one_of_two, x, x, columns=columns)


def test_reduce_over_nothing(graph):
    nobody, x = fr.Frontier(graph), graph.xp.zeros(graph.num_vertices, np.int32)
    assert int(fr.reduce(nobody, take, x, 1, dtype="int32")[0]) == 0
    assert int(fr.reduce(nobody, take, x, 1, dtype="int32", reduce="min")[0]) == 2**31 - 1
    out = graph.xp.full(1, 5.0)
    assert fr.reduce(nobody, take, x, 1, out=out) is out and float(out[0]) == 0
    with pytest.raises(ValueError, match="reduce"):
        fr.reduce(nobody, take, x, 1, reduce="mean")
    with pytest.raises(TypeError, match="dtype"):
        fr.reduce(nobody, take, x, 1, dtype="int8")
    with pytest.raises(ValueError, match="out"):
        fr.reduce(nobody, take, x, 1, out=graph.xp.zeros(2))


def take_share(src, held, moved, factor):
    moved[src] = fr.atomic_exch(held, src, 0.0) * factor


def hand_on(src, dst, edge, weight, held, moved, factor):
    return fr.atomic_add(held, dst, moved[src]) + moved[src] > 1e-3


@pytest.mark.parametrize("loop", [True, False], ids=["traverse", "advance"])
@pytest.mark.sampled(by="file")
def test_members_are_prepared_before_their_edges(graph, loop):
    """The value of each vertex is divided among its neighbors, again and again: the sum must be preserved."""
    n = graph.num_vertices
    held, moved = graph.xp.zeros(n), graph.xp.zeros(n)
    hub = int(np.argmax(host(graph.degrees())))
    held[hub] = 1.0
    factor = 0.5 / float(graph.degrees().max())
    frontier = fr.Frontier(graph, [hub])
    if loop:
        fr.traverse(graph, frontier, hand_on, held, moved, factor, prepare=take_share)
        assert float(held.max()) <= 1e-3
    else:
        first = fr.advance(graph, frontier, hand_on, held, moved, factor, prepare=take_share)
        assert float(moved[hub]) == factor and float(held[hub]) == 0
        expected = np.zeros(n)
        expected[host(graph.neighbors(hub))] = factor
        assert np.allclose(host(held), expected)
        assert len(first) == (int(graph.degrees()[hub]) if factor > 1e-3 else 0)
    with pytest.raises(ValueError, match="prepare"):
        fr.advance(graph, frontier, hand_on, held, moved, factor, prepare=take_share, direction="pull")


@pytest.mark.sampled(by="file")
def test_traverse_stops_before_too_many_arcs(graph):
    source = int(np.argmin(np.where(host(graph.degrees()) > 0, host(graph.degrees()), 10**9)))
    seen = graph.xp.full(graph.num_vertices, 1 << 20, np.int32)
    seen[source] = 0
    few = fr.traverse(
        graph, fr.Frontier(graph, [source]), visit, seen, fr.advanced.StepCounter(1), condition=unseen, max_arcs=8
    )
    reached = host(seen)[host(seen) < 1 << 20]
    full = levels(graph, source)
    assert few == reached.max() <= full[full < 1 << 20].max()
    layers = [host(graph.degrees())[full == level].sum() for level in range(few + 1)]
    assert all(arcs <= 8 for arcs in layers[:few]) and (layers[few] > 8 or few == full[full < 1 << 20].max())
