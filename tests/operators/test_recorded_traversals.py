"""Traversals along out- and in-edges at once: captured by a step for batches, called by it, and against a model."""

import numpy as np
import pytest
from model import make, random_batch
from verifiers import host

import frontier as fr
from structures import CSR, SlabGraph

N = 60
FAR = 1000


def begin(src, dst, edge, weight, level):
    return fr.atomic_min(level, dst, 0) > 0


def always(src, dst, edge, weight):
    return True


def tell(src, dst, edge, weight, level, step):
    return fr.atomic_min(level, dst, step) > step


def search(graph, src, dst, level):
    """Levels from the ends of the batch, however the edges point."""
    found = fr.visit_edges(graph, src, dst, begin, level)
    if found:
        fr.traverse(graph, found, tell, level, fr.advanced.StepCounter(1), edges="both")


def neighbors(model):
    """The neighbors of each vertex in the undirected closure."""
    rows = [set(row) for row in model.adjacency]
    for u, row in enumerate(model.adjacency):
        for v in row:
            rows[v].add(u)
    return rows


def levels_of(model, starts):
    levels, rows, front = np.full(model.num_vertices, FAR), neighbors(model), set(starts)
    step = 0
    while front:
        levels[list(front)] = step
        step += 1
        front = {v for u in front for v in rows[u] if levels[v] == FAR}
    return levels.tolist()


def searched(pair, taken, ids):
    """Levels from these vertices by the step."""
    graph = pair.graph
    level = graph.xp.full(graph.num_vertices, FAR, np.int32)
    for _ in range(2):  # a capture, and its replay
        level[:] = FAR
        taken(*(graph.xp.asarray(np.asarray(ids, graph.vertex_dtype)) for _ in range(2)), level)
    assert bool(taken._plans.values()) == graph.device.is_gpu
    return host(level).tolist()


ADVERSARIAL = {
    "loops": ([0, 1, 2, 2, 3], [0, 1, 2, 3, 3]),
    "to and fro": ([1, 1, 3, 3, 5], [0, 2, 2, 4, 4]),
    "in both directions": ([0, 1, 1, 2, 3, 2], [1, 0, 2, 1, 2, 3]),
    "duplicates": ([0, 0, 0, 1, 1], [1, 1, 1, 2, 2]),
    "into a hub": (np.arange(1, N), np.zeros(N - 1, int)),
    "out of a hub": (np.zeros(N - 1, int), np.arange(1, N)),
    "hub, both ways": (np.r_[np.arange(1, N), np.zeros(N - 1, int)], np.r_[np.zeros(N - 1, int), np.arange(1, N)]),
    "only in-edges": ([3, 2, 1], [2, 1, 0]),
    "none": ([], []),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_levels_of_graphs_of_all_kinds(structure, device, name):
    src, dst = (np.asarray(ids, np.int64) for ids in ADVERSARIAL[name])
    pair = make(structure, device, src, dst, num_vertices=N, directed=True, in_edges=True)
    taken = fr.capture(pair.graph, search, batches=True)
    for starts in ([0], [5, 2, 5], [N - 1, 4]):
        assert searched(pair, taken, starts) == levels_of(pair.model, starts)


def test_levels_while_the_graph_changes(structure, device, rng):
    """Edges and vertices are inserted and deleted, and the captured step is replayed over them."""
    if not issubclass(structure, fr.DynamicGraph):
        pytest.skip("cannot be changed")
    pair = make(structure, device, *random_batch(rng, N, 30)[:2], num_vertices=N, directed=True, in_edges=True)
    taken = fr.capture(pair.graph, search, batches=True)
    for turn in range(8):
        starts = rng.choice(pair.model.present, 3)
        assert searched(pair, taken, starts) == levels_of(pair.model, starts)
        alive = np.asarray(pair.model.present)
        src, dst = alive[rng.integers(0, alive.size, (2, 14))]
        pair.insert(np.r_[src, src[:3], dst[:4]], np.r_[dst, dst[:3], src[:4]])  # some twice, and in both directions
        us, vs, _ = (np.asarray(column) for column in zip(*pair.model.arcs(), strict=True))
        gone = rng.permutation(us.size)[: us.size // 2]
        pair.delete(us[gone], vs[gone])
        if turn == 3:
            pair.delete_vertices(alive[:5])
        if turn == 5:
            pair.insert_vertices(8)


def test_the_reverse_walks_both_ways_too(device, rng):
    """A step on `graph.reverse` sees updates of the graph in both directions."""
    pair = make(SlabGraph, device, *random_batch(rng, N, 40)[:2], num_vertices=N, directed=True, in_edges=True)
    reverse = pair.graph.reverse
    taken = fr.capture(reverse, search, batches=True)
    for _ in range(4):
        level = reverse.xp.full(N, FAR, np.int32)
        start = reverse.xp.asarray(np.asarray([7], reverse.vertex_dtype))
        taken(start, start, level)
        assert host(level).tolist() == levels_of(pair.model, [7])
        pair.insert(*random_batch(rng, N, 200)[:2])
        pair.delete(*random_batch(rng, N, 900)[:2])


def weigh(src, dst, edge, weight, sums, members):
    fr.atomic_add(sums, src * N + dst, weight)
    return weight > 3


def register(src, sums, members):
    fr.atomic_add(members, src, 1)


def weigh_from(graph, src, dst, sums, members):
    found = fr.visit_edges(graph, src, dst, always)
    if found:
        fr.traverse(graph, found, weigh, sums, members, prepare=register, edges="both", max_steps=2)


def test_what_functors_see(structure, device, rng):
    """The member first and the edge's weight, once for each direction. Each member is prepared once in a step."""
    pair = make(structure, device, *random_batch(rng, N, 300, "float32"), num_vertices=N, directed=True, in_edges=True)
    xp = pair.graph.xp
    rows = [[*row.items()] for row in pair.model.adjacency]
    for u, row in enumerate(pair.model.adjacency):
        for v, weight in row.items():
            rows[v].append((u, weight))
    expected, prepared, front = np.zeros(N * N), np.zeros(N), {3, 50, 51}
    for _ in range(2):
        for u in front:
            prepared[u] += 1
            for v, weight in rows[u]:
                expected[u * N + v] += weight
        front = {v for u in front for v, weight in rows[u] if weight > 3}
    taken = fr.capture(pair.graph, weigh_from, batches=True)
    start = xp.asarray(np.asarray([3, 50, 51, 50], pair.graph.vertex_dtype))
    for _ in range(2):
        sums, members = xp.zeros(N * N, np.float32), xp.zeros(N, np.int32)
        taken(start, start, sums, members)
        assert host(sums).tolist() == expected.tolist()
        assert host(members).tolist() == prepared.tolist()


def mark(src, dst, edge, weight, visits):
    fr.atomic_add(visits, edge, 1)
    return False


def mark_from(graph, src, dst, visits):
    fr.traverse(graph, fr.visit_edges(graph, src, dst, always), mark, visits, edges="both")


def test_edges_with_data_have_one_id_both_ways(device, rng):
    src, dst = rng.integers(0, N, (2, 200))
    graph = SlabGraph.from_edges(src, dst, num_vertices=N, directed=True, in_edges=True, device=device,
                                 edge_data={"amount": rng.random(200)})  # fmt: skip
    start = graph.xp.asarray(np.asarray([3, 50], graph.vertex_dtype))
    taken = fr.capture(graph, mark_from, batches=True)
    us, vs = graph.to_coo()[:2]
    ids, us, vs = (host(each) for each in (graph.edge_ids(us, vs), us, vs))
    expected = np.zeros(graph.edge_capacity, int)
    expected[ids] = np.isin(us, [3, 50]).astype(int) + np.isin(vs, [3, 50])
    for _ in range(2):
        visits = graph.xp.zeros(graph.edge_capacity, np.int32)
        taken(start, start, visits)
        assert host(visits).tolist() == expected.tolist()


def count(src, dst, edge, weight, visits, allowed):
    fr.atomic_add(visits, dst, 1)
    return True


def is_allowed(dst, visits, allowed):
    return allowed[dst] == 1


def count_from(graph, src, dst, visits, allowed):
    found = fr.visit_edges(graph, src, dst, always)
    fr.traverse(graph, found, count, visits, allowed, condition=is_allowed, edges="both", max_steps=1)


HUBS = [(9000, 9000), (9000, 9000), (0, 17_000), (17_000, 0), (17_000, 17_000), (1500, 1500), (2100, 20), (40, 40)]
"""Out- and in-degrees: for a tile, a block, or all blocks, some of them only by both kinds together."""


@pytest.mark.parametrize("recorded", [True, False])
def test_hubs_of_every_size(structure, device, recorded, rng):
    n, hubs = 21_000, len(HUBS)
    src, dst = [], []
    for hub, degrees in enumerate(HUBS):
        for degree, ends in zip(degrees, ((src, dst), (dst, src)), strict=True):
            ends[0].append(np.full(degree, hub))
            ends[1].append(hubs + (1009 * hub + np.arange(degree)) % (n - hubs))
    src, dst = np.concatenate(src), np.concatenate(dst)
    order = rng.permutation(src.size)
    graph = structure.from_edges(src[order], dst[order], num_vertices=n, directed=True, in_edges=True, device=device)
    visits, allowed = graph.xp.zeros(n, np.int32), graph.xp.asarray(rng.integers(0, 2, n, np.uint8))
    starts = graph.xp.arange(hubs, dtype=graph.vertex_dtype)
    if recorded:
        fr.capture(graph, count_from, batches=True)(starts, starts, visits, allowed)
    else:
        made = fr.traverse(graph, fr.Frontier(graph, starts), count, visits, allowed, condition=is_allowed,
                           edges="both", max_steps=1)  # fmt: skip
        assert made == 1
    expected = np.bincount(np.r_[src, dst], minlength=n)
    expected[:hubs] = 0
    assert host(visits).tolist() == (expected * host(allowed)).tolist()


def test_it_goes_on_through_frontiers_of_all_sizes(structure, device, rng):
    """Layers of few and of many vertices, in a graph whose edges point to and fro, captured and not."""
    layers = [1, 1, 3, 9000, 9000, 2, 1, 1, 9000, 5]
    starts = np.cumsum([0, *layers])
    src, dst = [], []
    for at, low in enumerate(starts[:-2]):
        width = np.arange(max(layers[at], layers[at + 1]))
        ends = low + width % layers[at], low + layers[at] + width % layers[at + 1]
        back = rng.random(width.size) < 0.5
        src.append(np.where(back, *ends))
        dst.append(np.where(back, *ends[::-1]))
    n = int(starts[-1])
    names = rng.permutation(n)
    graph = structure.from_edges(names[np.concatenate(src)], names[np.concatenate(dst)], num_vertices=n, directed=True,
                                 in_edges=True, device=device)  # fmt: skip
    expected = np.empty(n, int)
    expected[names] = np.repeat(np.arange(len(layers)), layers)
    ids = graph.xp.asarray(names[:1].astype(graph.vertex_dtype))
    level = graph.xp.full(n, FAR, np.int32)
    fr.capture(graph, search, batches=True)(ids, ids, level)
    assert host(level).tolist() == expected.tolist()
    for limit in (None, 3, 4, 6):
        level = graph.xp.full(n, FAR, np.int32)
        level[ids] = 0
        start = fr.Frontier(graph, ids)
        made = fr.traverse(graph, start, tell, level, fr.advanced.StepCounter(1), edges="both", max_steps=limit)
        assert made == (len(layers) if limit is None else limit)  # the last one finds nothing
        assert host(level).tolist() == np.where(expected <= made, expected, FAR).tolist()


def test_directed_graphs_without_in_edges(device):
    graph = CSR.from_edges([0, 1], [1, 2], directed=True, device=device)
    ids, level = graph.xp.zeros(1, graph.vertex_dtype), graph.xp.full(3, FAR, np.int32)
    with pytest.raises(ValueError, match="make the graph with in_edges=True"):
        fr.capture(graph, search, batches=True)(ids, ids, level)
