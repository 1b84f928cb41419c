"""Operators on distributed graphs, against one device.

Threads stand for workers, and exchange by the in-process communicator.
"""

from __future__ import annotations

import numpy as np
import pytest
from distributed_cases import filled_pair, host, of_shape
from graphs import GRAPHS

import frontier as fr
from algorithms import DynamicCoreNumber, bfs, connected_components
from frontier.distributed import DistributedGraph
from frontier.distributed.operators import pulls
from frontier.distributed.transport.in_process import InProcessCommunicator
from structures import SlabGraph


def count_visits(src, dst, edge, weight, visits):
    fr.atomic_add(visits, dst, 1)
    return True


def raise_label(src, dst, edge, weight, labels):
    return fr.atomic_max(labels, dst, labels[src]) < labels[src]


def set_bits(src, dst, edge, weight, bits):
    mine = np.int32(1) << np.int32(src % 20)
    return fr.atomic_or(bits, dst, mine) & mine == 0


def visits_of(graph, start):
    visits = graph.vertex_array(np.int64, combine="add")
    reached = fr.advance(graph, fr.Frontier(graph, start), count_visits, visits)
    again = fr.advance(graph, reached, count_visits, visits)
    graph.sync(visits)
    return host(visits).tolist(), list(reached), len(again), again.num_arcs, sorted(again)


def labels_of(graph, steps):
    labels = graph.vertex_array(np.int64, graph.xp.arange(graph.num_vertices), combine="max")
    made = fr.traverse(graph, fr.Frontier.all(graph), raise_label, labels, max_steps=steps)
    graph.sync(labels)
    return host(labels).tolist() if steps is None else made


def bits_of(graph):
    bits = graph.vertex_array(np.int32, combine="or")
    fr.advance(graph, fr.Frontier.all(graph), set_bits, bits)
    graph.sync(bits)
    return host(bits).tolist()


def reached_at_zero(graph, start):
    """Which vertices have had three or five neighbors in the frontiers so far, after each."""
    left = graph.vertex_array(np.int32, graph.xp.asarray([3, 5] * (graph.num_vertices // 2)), combine="countdown")
    frontiers = [fr.advance(graph, fr.Frontier(graph, part), count_down, left) for part in start]
    graph.sync(left)
    return [sorted(each) for each in frontiers], host(left).tolist()


@pytest.mark.slow
def test_rules_combine_copies(engine):
    graph, one = of_shape(engine, "rmat")
    parts = [range(i, graph.num_vertices, 4) for i in range(4)]
    for function, *args in ((visits_of, [0, 3, 7]), (visits_of, [500]), (bits_of,), (reached_at_zero, parts)):
        assert graph.run(function, *args) == function(one, *args)
    components = host(connected_components(one).labels)
    largest = np.zeros(components.size, np.int64)
    np.maximum.at(largest, components, np.arange(components.size))
    assert graph.run(labels_of, None) == largest[components].tolist()
    assert graph.run(labels_of, 1) == 1


def is_odd(v, values):
    return values[v] % 2 == 1


def square(v, values):
    values[v] = values[v] * values[v]


def value_of(v, values):
    return values[v]


def neighbor_value(src, dst, edge, weight, values):
    return values[dst]


def vertex_operators(graph):
    xp = graph.xp
    values = xp.arange(graph.num_vertices, dtype=np.int64)
    odd = fr.filter(fr.Frontier.all(graph), is_odd, values)
    fr.compute(odd, square, values)  # only owners know the squares
    sums = fr.neighbor_reduce(graph, None, neighbor_value, values, reduce="sum", dtype=np.int64)
    best = fr.neighbor_reduce(graph, odd, neighbor_value, values, reduce="argmax", dtype=np.int64)
    numbers = [int(fr.reduce(odd, value_of, values, reduce=how, dtype=np.int64)[0]) for how in ("sum", "min", "max")]
    graph.sync(values)
    return [host(array).tolist() for array in (values, sums, best, odd.mask, odd.bits)], numbers, len(odd), 3 in odd


def test_operators_over_vertices(engine):
    graph, one = of_shape(engine, "rmat")
    assert graph.run(vertex_operators) == vertex_operators(one)


def join_group(v, groups, sizes):
    fr.atomic_add(sizes, groups[v], 10)
    fr.atomic_add(sizes, v, 1)


def has_members(v, sizes):
    return sizes[v] > 21


def size_of_group(src, dst, edge, weight, groups, sizes):
    return sizes[groups[dst]]


def sizes_of_groups(graph):
    groups = graph.xp.arange(graph.num_vertices) % 37
    sizes = graph.vertex_array(np.int64, 20, combine="add")
    fr.compute(fr.Frontier.all(graph), join_group, groups, sizes)
    named = fr.filter(fr.Frontier.all(graph), has_members, sizes)
    fr.compute(named, join_group, groups, sizes)
    largest = fr.neighbor_reduce(graph, None, size_of_group, groups, sizes, reduce="max", dtype=np.int64)
    fr.compute(named, join_group, groups, sizes)
    graph.sync(sizes)
    return host(sizes).tolist(), host(largest).tolist(), sorted(named)


def test_functors_over_vertices_add_to_others(engine):
    graph, one = of_shape(engine, "rmat")
    assert graph.run(sizes_of_groups) == sizes_of_groups(one)


def read_and_join(v, groups, sizes):
    fr.atomic_add(sizes, groups[v], sizes[groups[v]])


def adds_what_it_reads(part):
    groups = part.vertex_array(np.int64)
    fr.compute(fr.Frontier.all(part), read_and_join, groups, part.vertex_array(np.int64, combine="add"))


def neighbor_group(src, dst, edge, weight, groups, totals):
    return groups[dst]


def lightest(src, value, joined, groups, totals):
    return joined - totals[value] / 64


def modes(graph):
    groups, totals = graph.vertex_array(np.int64), graph.vertex_array(np.int64)
    fr.compute(fr.Frontier.all(graph), enter_group, groups, totals)  # only owners know both
    frontier = fr.Frontier(graph, range(0, graph.num_vertices, 3))
    out = graph.vertex_array(np.int64, -7)
    found = [
        *fr.neighbor_reduce(graph, None, neighbor_group, groups, totals, reduce="mode", values=True),
        *fr.neighbor_reduce(
            graph, frontier, neighbor_group, groups, totals, reduce="mode", score=lightest, values=True, out=out
        ),
        *fr.neighbor_reduce(graph, frontier, neighbor_group, groups, totals, reduce="argmin", values=True),
    ]  # fmt: skip
    graph.sync(*found[2:4])
    return [host(array).tolist() for array in found]


def enter_group(v, groups, totals):
    groups[v] = v % 7
    totals[v] = v * v % 11


@pytest.mark.slow
def test_modes_and_their_scores(engine):
    graph, one = of_shape(engine, "rmat")
    assert graph.run(modes) == modes(one)


def writing_score(src, value, joined, groups, totals):
    totals[src] = 1
    return joined


def scored_by_writing(part):
    arrays = part.vertex_array(np.int64), part.vertex_array(np.int64)
    fr.neighbor_reduce(part, None, neighbor_group, *arrays, reduce="mode", score=writing_score)


def set_operations(graph):
    xp = graph.xp
    a, b = fr.Frontier(graph, xp.arange(0, 100)), fr.Frontier(graph, xp.arange(50, 200))
    return [list(f) for f in (a | b, a & b, a - b, a ^ b)], a == b, a - b <= a, bool(a & b - b), a == (a | a)


def test_sets(engine):
    graph, one = of_shape(engine, "rmat")
    assert graph.run(set_operations) == set_operations(one)


def test_what_is_missing_says_so(engine):
    graph, _ = of_shape(engine, "one-edge")
    with pytest.raises(NotImplementedError, match="common_neighbors is not available for distributed graphs yet"):
        fr.common_neighbors(graph, [0], [1])
    with pytest.raises(NotImplementedError, match="DynamicCoreNumber is not available for distributed graphs"):
        DynamicCoreNumber(graph)
    with pytest.raises(ValueError, match="graph must have times"):
        fr.SlidingWindow(graph, count=3)
    with pytest.raises(ValueError, match="multi_edges must be one of 'last', 'sum', not 'all'"):
        DistributedGraph(SlabGraph, 3, multi_edges="all", engine=engine)


def count_sources(src, dst, edge, weight, visits):
    fr.atomic_add(visits, src, 1)
    return True


def pull_back(part):
    fr.advance(part, fr.Frontier(part, [0]), count_sources, part.vertex_array(np.int64), direction="pull")


def pull_edges(part):
    fr.advance(part, fr.Frontier(part, [0]), any_edge, direction="pull", output="edges")


def look_around(part):
    fr.advance(part, fr.Frontier(part, [0]), any_edge, direction="around")


def any_edge(src, dst, edge, weight):
    return True


def follow_nothing(part):
    part.vertex_array(np.int64, follows=part.vertex_array(np.int64, combine="add"))


def count_all(src, dst, edge, weight, counter):
    fr.atomic_add(counter, 0, 1)
    return False


def hook(src, dst, edge, weight, labels):
    labels[labels[dst]] = labels[src]
    return False


def double_next(v, values):
    values[v + 1] = 2


def unruled(part):
    fr.advance(part, fr.Frontier.all(part), raise_label, part.xp.zeros(part.num_vertices, np.int64))


def counted(part):
    fr.advance(part, fr.Frontier.all(part), count_all, part.xp.zeros(1, np.int64))


def hooked(part):
    fr.advance(part, fr.Frontier.all(part), hook, part.vertex_array(np.int64, combine="min"))


def doubled(part):
    fr.compute(fr.Frontier.all(part), double_next, part.vertex_array(np.int64))


def count_down(src, dst, edge, weight, left):
    return fr.atomic_add(left, dst, -1) == 1


def silent(part):
    fr.advance(part, fr.Frontier.all(part), count_down, part.vertex_array(np.int32, combine="countdown"), output=None)


def fractions(part):
    part.vertex_array(np.float32, combine="countdown")


@pytest.mark.parametrize(
    "program, message",
    [
        (unruled, r"raise_label\(\) writes to labels at edges, .*, with a rule"),
        (counted, r"count_all\(\) writes to counter at edges, .*, with a function as its rule"),
        (hooked, r"hook\(\) writes to labels at edges, .*, with a function as its rule"),
        (silent, r"count_down\(\) writes to left at edges, .*: let advance return vertices"),
        (adds_what_it_reads, r"read_and_join\(\) writes to entries of sizes at other vertices than v"),
        (scored_by_writing, r"writing_score\(\) writes to totals: a score only reads arrays"),
        (fractions, r"combine='countdown' is for signed integers, which may fall below 0, not float32"),
        (doubled, r"double_next\(\) writes to entries of values at other vertices than v"),
    ],
)
def test_writes_that_no_rule_combines_are_refused(engine, program, message):
    graph, _ = of_shape(engine, "one-edge")
    with pytest.raises(ValueError, match=message):
        graph.run(program)


def read_next(v, values, out):
    out[v] = values[(v + 1) % 5]


def shifted(graph):
    values, out = graph.vertex_array(np.int64), graph.vertex_array(np.int64)
    fr.compute(fr.Frontier.all(graph), set_id, values)
    fr.compute(fr.Frontier.all(graph), read_next, values, out)
    graph.sync(out)
    return host(out).tolist()


def set_id(v, values):
    values[v] = v


def test_entries_of_other_vertices_are_up_to_date(engine):
    graph, _ = of_shape(engine, "one-edge")
    assert graph.run(shifted) == [1, 2, 3, 4, 0]


def test_rules_that_cannot_be_kept(engine):
    graph, _ = of_shape(engine, "one-edge")
    with pytest.raises(ValueError, match=r"count_sources\(\) writes to visits at vertices other than dst"):
        graph.run(pull_back)
    with pytest.raises(ValueError, match="direction='pull' searches for vertices"):
        graph.run(pull_edges)
    with pytest.raises(ValueError, match="direction must be one of"):
        graph.run(look_around)
    with pytest.raises(ValueError, match="follows must be a vertex array"):
        graph.run(follow_nothing)
    with pytest.raises(ValueError, match="normal goes with a rule"):
        graph.run(normal_of_numbers)
    with pytest.raises(ValueError, match=r"locally\(\) takes vertex arrays"):
        graph.run(numbers_locally)


def normal_of_numbers(graph):
    graph.vertex_array(np.int32, combine="min", normal=has_none)


def numbers_locally(graph):
    with graph.locally(graph.vertex_array(np.int32, combine="min")):
        pass


def larger(v, least, theirs):
    fr.atomic_min(least, v, theirs[v])


def lower(src, dst, edge, weight, least):
    fr.atomic_min(least, dst, least[src])
    return False


def lowest_around(graph):
    """The lowest id one or two edges away, which partitions exchange at the end, and the last partition."""
    ids = graph.xp.arange(graph.num_vertices)
    least = graph.vertex_array(np.int64, ids, combine=larger)
    everyone = fr.Frontier.all(graph)
    before = graph.comm.exchanges
    with graph.locally(least):
        fr.advance(graph, everyone, lower, least, output=None)
        assert graph.comm.exchanges == before
    fr.advance(graph, everyone, lower, least, output=None)
    graph.sync(least)
    return host(least).tolist(), graph.max_over_parts(graph.comm.rank)


def test_copies_stay_locally_in_a_block(engine):
    """Partitions exchange nothing there. Their results are combined later."""
    graph, _ = of_shape(engine, "path")
    found, last = graph.run(lowest_around)
    assert last == engine.size - 1
    n = graph.num_vertices
    assert all(least <= max(v - 1, 0) for v, least in enumerate(found)) and len(found) == n


def claim(src, dst, edge, weight, parent, heavy, least):
    if weight < least:
        return False
    parent[dst] = src
    heavy[dst] = heavy[src] + weight
    return True


def has_none(dst, parent, heavy, least):
    return parent[dst] < 0


def pulled(graph, edges, direction):
    """Two advances, the second reads values that the first has written at other ends. A vertex looks at the heavy
    edges."""
    xp, n = graph.xp, graph.num_vertices
    parent = graph.vertex_array(np.int32, -1, combine="max")
    heavy = graph.vertex_array(np.int64, xp.arange(n) % 7, combine="max")
    reached = fr.Frontier(graph, xp.arange(0, n, 5))
    found = []
    for _ in range(2):
        reached = fr.advance(
            graph, reached, claim, parent, heavy, 20, condition=has_none, edges=edges, direction=direction
        )
        found.append((list(reached), len(reached)))
    graph.sync(parent, heavy)
    return found, (host(parent) >= 0).tolist(), (host(heavy) > 7).tolist()


@pytest.mark.parametrize("directed, edges", [(False, "out"), (True, "out"), (True, "in")])
def test_pulls(engine, directed, edges):
    weights = np.random.default_rng(1).integers(10, 100, GRAPHS["rmat"][0].size).astype(np.int32)
    graph, one = filled_pair(engine, "rmat", weights, directed=directed, in_edges=directed, weight_dtype="int32")
    assert graph.run(pulled, edges, "pull") == pulled(one, edges, "pull")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["one-edge", "path", "star", "rmat"])
def test_searches_that_pull(engine, name, directed, monkeypatch):
    graph, one = of_shape(engine, name, directed, in_edges=directed)
    for name, bound in (("PULL_ABOVE", 0), ("ARCS_ABOVE", 0), ("PULL_FROM", 2**40)):
        monkeypatch.setattr(pulls, name, bound)
    found, expected = bfs(graph, 0), bfs(one, 0)
    assert host(found.distance).tolist() == host(expected.distance).tolist() and found.levels == expected.levels
    before, distance = host(found.predecessor), host(found.distance)
    reached = np.flatnonzero(before >= 0)
    assert np.array_equal(distance[before[reached]] + 1, distance[reached])
    assert graph.has_edges(before[reached], reached).all()
    assert np.array_equal(before >= 0, host(expected.predecessor) >= 0)


def test_a_dense_search_exchanges_bits(engine, monkeypatch):
    monkeypatch.setattr(InProcessCommunicator, "kernels_meet", False)
    edges = fr.io.rmat(12, 16, seed=3)
    graph = DistributedGraph(SlabGraph, edges.num_vertices, engine=engine)
    graph.insert_edges(edges.src, edges.dst)
    comm, source = engine.hosts[0].comm, int(edges.src[0])

    def sent():
        before = comm.sent_bytes
        bfs(graph, source)
        return comm.sent_bytes - before

    pulls_too = sent()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulls, "PULL_ABOVE", 2)
        patch.setattr(pulls, "ARCS_ABOVE", 2)
        assert sent() > pulls_too


# ---- results of reduce that are put together later ------------------------------------------------------------------


def one(v):
    return 1


def share_of_all(v, shares, total):
    shares[v] = 100 / total[0]


def results_of(graph):
    """The values that readers of results get, and the number of exchanges."""
    comm = getattr(graph, "comm", None)

    def exchanges():
        return comm.exchanges if comm is not None else 0

    everyone = fr.Frontier.all(graph)
    total, most = graph.results(), graph.results(dtype=np.int64)
    begin = exchanges()
    fr.reduce(everyone, one, out=total)
    assert fr.reduce(everyone, lambda v: v, reduce="max", out=most) is most
    spent = [exchanges() - begin]
    shares = graph.vertex_array(np.float64)
    fr.compute(everyone, share_of_all, shares, total)  # for which the total is needed
    spent.append(exchanges() - begin)
    fetched = graph.copy_to_host_async(most)
    fr.reduce(everyone, lambda v: v + 1, reduce="max", out=most)
    late = graph.copy_to_host_async(most)
    fr.reduce(everyone, lambda v: v + 2, reduce="max", out=most)
    graph.sync(most)
    return float(graph.sum_all(shares)), host(most).tolist(), fetched.result().tolist(), late.result().tolist(), spent


def test_results_are_put_together_when_they_are_needed(engine):
    graph, alone = of_shape(engine, "star")
    expected, found = results_of(alone), graph.run(results_of)
    assert np.isclose(found[0], expected[0]) and found[1:4] == expected[1:4]
    n = alone.num_vertices
    assert found[1:4] == ([n + 1], [n - 1], [n])
    if not engine.hosts[0].comm.device.is_gpu:
        assert found[4] == [0, 1]


def test_functors_cannot_write_to_results(engine):
    graph, _ = of_shape(engine, "star")
    with pytest.raises(ValueError, match="writes to entries of total"):
        graph.run(write_to_results)


def write_to_results(graph):
    fr.compute(fr.Frontier.all(graph), set_total, graph.results())


def set_total(v, total):
    total[0] = v


def test_entries_without_news_are_not_combined(engine):
    """Entries on which partitions agree, and entries with the initial value on another partition."""
    graph, _ = of_shape(engine, "path")
    assert graph.run(entries_with_news) == [3, 4]


def entries_with_news(graph):
    if graph.device.is_gpu:  # which calls the rule for all
        return [3, 4]
    before = np.arange(graph.num_vertices)
    mine, theirs = before.copy(), before.copy()
    mine[[1, 2, 3]], theirs[[1, 3, 4]] = 0, [0, 2, 1]
    return graph.arrays._with_news(mine, theirs, before)._members().tolist()
