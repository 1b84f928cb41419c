"""Frontiers combine, compare and iterate as Python's sets do, in any stored form."""

import operator
from itertools import product

import numpy as np
import pytest
from verifiers import host

import frontier as fr

N = 3000  # more than a few words for bitmaps: lists of a few members are combined as lists
OPERATIONS = (operator.or_, operator.and_, operator.sub, operator.xor)
COMPARISONS = (operator.eq, operator.ne, operator.le, operator.lt, operator.ge, operator.gt)


@pytest.fixture
def graph(structure, device):
    return structure.from_edges([0, 5], [5, N - 1], num_vertices=N, device=device)


def drawn(rng, size):
    return set(rng.choice(N, size, replace=False).tolist())


def made(graph, members, form):
    """A frontier of some members: a list, a bitmap, or both."""
    frontier = fr.Frontier(graph, sorted(members))
    if form == "bits":
        return fr.Frontier._of(graph, bits=frontier._bitmap(), size=len(members))
    if form == "both":
        frontier._bitmap()
    return frontier


def check(frontier, members):
    """Everything that can be asked about a frontier has the answer of the set."""
    assert len(frontier) == len(members) and bool(frontier) == bool(members)
    assert list(frontier) == sorted(members)
    assert sorted(host(frontier.vertices).tolist()) == sorted(members)
    assert frontier.vertices.dtype == frontier.graph.vertex_dtype
    mask = host(frontier.mask)
    assert mask.dtype == np.bool_ and mask.size == frontier.graph.num_vertices
    assert np.flatnonzero(mask).tolist() == sorted(members)
    assert frontier.num_arcs == int(host(frontier.graph.degrees())[sorted(members)].sum())


@pytest.mark.parametrize("forms", [("list", "list"), ("bits", "list"), ("list", "bits"), ("both", "bits")])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 1), (1, 0), (1, 1), (2, 700), (800, 3), (900, 1000), (N, N), (N, 40)])
def test_operations_are_those_of_sets(graph, rng, sizes, forms):
    left, right = (drawn(rng, size) for size in sizes)
    if len(left) > 500:
        right |= set(sorted(left)[:20])
    first, second = made(graph, left, forms[0]), made(graph, right, forms[1])
    for operation in OPERATIONS:
        check(operation(first, second), operation(left, right))
        check(operation(first, first), operation(left, left))
    for compare in COMPARISONS:
        assert compare(first, second) == compare(left, right)
        assert compare(first, made(graph, left, forms[1])) == compare(left, left)
        assert compare(first, first & second) == compare(left, left & right)
    check(first, left)
    check(second, right)


@pytest.mark.parametrize("form", ["list", "bits", "both"])
@pytest.mark.parametrize("size", [0, 1, 40, 2000])
def test_members(graph, rng, size, form):
    members = drawn(rng, size)
    frontier = made(graph, members, form)
    for v in [*range(0, N, 61), *sorted(members)[:9], N - 1]:
        assert (v in frontier) == (np.int64(v) in frontier) == (v in members)
    assert N not in frontier and -1 not in frontier and 10**12 not in frontier
    for bad in (1.5, "1", None, [1], True):
        with pytest.raises(TypeError, match="vertex must be an integer"):
            bad in frontier  # noqa: B015
    seen = [v for v in frontier]
    assert seen == sorted(members) and all(type(v) is int for v in seen)


def test_masks(graph, rng):
    mask = rng.random(N) < 0.3
    members = set(np.flatnonzero(mask).tolist())
    for given in (mask, graph.xp.asarray(mask), mask.tolist()):
        check(fr.Frontier(graph, given), members)
    check(fr.Frontier(graph, fr.Frontier(graph, mask).mask), members)
    check(fr.Frontier(graph, graph.degrees() > 1), {5})
    again = fr.Frontier(graph, [1]).mask
    again[2] = True  # a separate array
    check(fr.Frontier(graph, again), {1, 2})
    for size in (0, 1, N - 1, N + 1):
        with pytest.raises(ValueError, match=f"vertices is a mask of {size} entries, but the graph has {N} vertices"):
            fr.Frontier(graph, np.ones(size, bool))


def test_results_go_into_operators(graph):
    odd = fr.Frontier(graph, np.arange(N) % 2 == 1)
    rest = fr.Frontier.all(graph) - odd
    assert len(rest) == N // 2
    seen = graph.xp.zeros(N, np.int32)
    fr.compute(rest, mark, seen)
    assert host(seen).tolist() == [1, 0] * (N // 2)
    assert list(fr.advance(graph, fr.Frontier(graph, [0]) | fr.Frontier(graph, [N - 1]), always)) == [5]
    frontier = fr.Frontier(graph, [0])
    frontier |= fr.Frontier(graph, [7])
    assert list(frontier) == [0, 7]


def mark(v, seen):
    seen[v] = 1


def always(src, dst, edge, weight):
    return True


def test_frontiers_of_lists(graph):
    """The first of what functors have listed, or all vertices."""
    xp = graph.xp
    listed, number = xp.asarray([7, 5, 9, 2]).astype(graph.vertex_dtype), xp.asarray([3])
    frontier = fr.Frontier.listed(graph, listed, number)
    check(frontier, {5, 7, 9})
    check(fr.Frontier.listed(graph, listed, xp.asarray([0])), set())
    check(fr.Frontier.listed(graph, listed, xp.asarray([5])), set(range(N)))
    check(fr.Frontier.listed(graph, listed[:0], xp.asarray([1])), set(range(N)))
    for vertices, count, error, message in (
        (listed[::2], number, ValueError, "vertices must be contiguous"),
        (listed.astype(np.uint8), number, TypeError, "vertices must be an array of"),
        ([7, 5], number, TypeError, "vertices must be a"),
        (listed, number.astype(np.int32), TypeError, "number must be an array of int64"),
        (listed, xp.asarray([1, 2]), ValueError, "number must be of shape"),
        (listed, 3, TypeError, "number must be a"),
    ):
        with pytest.raises(error, match=message):
            fr.Frontier.listed(graph, vertices, count)


@pytest.mark.parametrize("form", ["list", "bits"])
def test_frontiers_of_an_older_graph(graph, form):
    """Members stay members when the graph grows. A deleted one is an error in every use."""
    left, right = made(graph, {1, 2, N - 1}, form), made(graph, {2, 3}, form)
    graph.insert_vertices(500)
    late = fr.Frontier(graph, [2, N + 400])
    check(left | late, {1, 2, N - 1, N + 400})
    check(late - left, {N + 400})
    check(left & late, {2})
    assert N + 400 not in left and N + 400 in late and right <= left | late | right
    graph.delete_vertices([3])
    for ask in (
        lambda: left | right, lambda: right - left, lambda: right == left, lambda: left <= right, lambda: 2 in right,
        lambda: list(right), lambda: right ^ right,
    ):  # fmt: skip
        with pytest.raises(ValueError, match="deleted since it was made, 3 is one"):
            ask()
    check(left | late, {1, 2, N - 1, N + 400})
    everything = fr.Frontier.all(graph)
    assert len(everything) == N + 499 and 3 not in everything
    with pytest.raises(ValueError, match="deleted"):
        fr.Frontier(graph, np.ones(N + 500, bool))


def test_frontiers_of_the_reverse(device):
    graph = fr.structures()["slab"](N, directed=True, in_edges=True, device=device)
    for size in (3, 1000):
        left, right = fr.Frontier(graph, np.arange(size)), fr.Frontier(graph.reverse, np.arange(2, size + 2))
        assert list(left & right) == list(range(2, size)) and (left | right).graph is graph
        assert (right - left).graph is graph.reverse and len(right - left) == 2
        assert left != right and left == fr.Frontier(graph.reverse, np.arange(size)) and left <= left | right


def test_frontiers_of_other_graphs_and_other_things(graph):
    frontier = fr.Frontier(graph, [1])
    other = fr.Frontier(graph.copy(), [1])
    assert frontier != other
    for operation, pair in product((*OPERATIONS, operator.le, operator.lt), ((frontier, other), (other, frontier))):
        with pytest.raises(ValueError, match="frontier belongs to another graph"):
            operation(*pair)
    for operation, thing in product((*OPERATIONS, operator.le), ({1}, [1], 1, None)):
        with pytest.raises(TypeError):
            operation(frontier, thing)
    assert frontier != {1} and frontier != 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(frontier)


@pytest.mark.parametrize("name", ["csr", "hornet", "faimgraph"])  # all other structures have degrees as an array
def test_arcs_of_a_few_members_take_no_pass_over_all_vertices(name, device, monkeypatch):
    """A loop over many small frontiers would cost a pass each."""
    structure = fr.structures()[name]
    graph = structure.from_edges([0, 0, 1, 2], [1, 2, 3, 3], num_vertices=5, device=device)
    monkeypatch.setattr(structure.store_type, "degrees", lambda self: pytest.fail("looks at all vertices"))
    assert fr.Frontier(graph, [0, 3]).num_arcs == 4
    assert [part.tolist() for part in graph.successors([3, 0])[:2]] == [[0, 2, 4], [1, 2, 1, 2]]
