"""GraphVine's own: the dictionary, trees of edge blocks, the queue of free blocks, and lists without holes."""

import numpy as np
import pytest
from model import random_batch, to_host

from structures import GraphVine

VERTICES = 60


def path_to(i):
    """The bit string of block i: False is left, True is right."""
    return [bit == "1" for bit in bin(i + 1)[3:]]


def check_layout(graph):
    """Walk every tree by bit strings only. Raise AssertionError unless all blocks, lists and links are right."""
    records, children, queue = (
        to_host(graph, array) for array in (graph.store.records, graph.store.children, graph.store.queue)
    )
    pool, size = to_host(graph, graph.store.neighbors), graph.block_size
    found = {}
    used = []
    for v in range(graph.num_vertices):
        root, last, degree, straight = (int(number) for number in records[v])
        blocks = -(-degree // size) if degree else 0
        numbers = []
        for i in range(blocks):
            block = root
            for right in path_to(i):
                block = int(children[block, int(right)])
            numbers.append(block)
        assert not blocks or numbers[-1] == last, f"the last block of {v}"
        assert numbers[:straight] == list(range(root, root + straight)), f"straight blocks of {v}"
        assert (straight > 0) == (blocks > 0) and straight <= blocks
        for p in range(degree):
            slot = numbers[p // size] * size + p % size
            assert pool[slot] >= 0, f"a hole in the list of {v}"
            found[v, int(pool[slot])] = slot
        used += numbers
    free = [int(queue[(graph.store._front + i) % queue.size]) for i in range(graph.store._free)]
    assert sorted(used + free) == list(range(queue.size)), "blocks are in one list, or in the queue, once"
    assert len(found) == graph.num_arcs
    if found:
        src, dst = np.array(list(found)).T
        assert to_host(graph, graph.find_edges(src, dst)).tolist() == list(found.values())


def make(device, src=(), dst=(), weights=None, **options):
    options.setdefault("num_vertices", VERTICES)
    return GraphVine.from_edges(src, dst, weights, device=device, directed=True, **options)


@pytest.mark.parametrize("num_vertices, size", [(0, 1), (1, 1), (2, 2), (453, 512), (512, 512), (513, 1024)])
def test_the_dictionary_is_a_power_of_two(device, num_vertices, size):
    assert GraphVine(num_vertices, device=device).store.records.shape == (size, 4)


def test_the_dictionary_doubles(device):
    graph = make(device, [0, 1, 59], [1, 2, 3])
    graph.insert_vertices(4)
    assert graph.store.records.shape == (64, 4)
    graph.insert_vertices(1)
    assert graph.store.records.shape == (128, 4)
    assert not graph.store.records[60:].any()
    check_layout(graph)


def test_an_empty_graph_has_no_blocks(device):
    graph = GraphVine(1 << 20, device=device)
    assert graph.block_size is None
    assert graph.slot_capacity == graph.store.queue.size == 0
    assert graph.insert_edges([3], [3]).inserted == 0
    assert graph.delete_edges([3], [4]).deleted == 0
    graph.compact()
    assert graph.block_size is None
    assert make(device, [3], [3]).block_size is None
    assert graph.statistics()["blocks"] == 0


@pytest.mark.parametrize("degree, size", [(1, 8), (12, 8), (13, 16), (16, 16), (25, 16), (32, 32), (50, 32), (59, 64)])
@pytest.mark.parametrize("built", [True, False], ids=["built", "inserted"])
def test_block_size_from_the_first_batch(device, degree, size, built):
    """Vertices without neighbors do not count."""
    src, dst = np.repeat(np.arange(7), degree), np.tile(np.arange(degree), 7)
    src, dst = src[src != dst], dst[src != dst]
    src, dst = np.r_[src, np.arange(min(7, degree))], np.r_[dst, np.full(min(7, degree), 59)]
    graph = make(device, src, dst) if built else make(device)
    if not built:
        graph.insert_edges(np.r_[src, src], np.r_[dst, dst])
    assert graph.block_size == size
    graph.delete_edges(src, dst)
    graph.insert_edges([1], [2])
    assert graph.block_size == size  # constant from then on
    check_layout(graph)


def test_block_size_as_asked_for(device):
    graph = GraphVine(3, block_size=128, device=device)
    assert graph.block_size == 128
    graph.insert_edges([0, 1], [1, 2])
    assert graph.block_size == 128
    assert graph.slot_capacity % 128 == 0


@pytest.mark.parametrize("block_size", [0, -8, 4, 12, 1 << 17])
def test_block_sizes_that_are_none(block_size):
    with pytest.raises(ValueError, match="block_size"):
        GraphVine(3, block_size=block_size, device="cpu")


@pytest.mark.parametrize("block_size", ["8", 8.0, True])
def test_block_sizes_of_other_types(block_size):
    with pytest.raises(TypeError, match="block_size"):
        GraphVine(3, block_size=block_size, device="cpu")


@pytest.mark.parametrize("weight_dtype", [None, "float32"])
def test_lists_grow_and_shrink_in_turn(device, rng, weight_dtype):
    """Blocks of many lists are allocated and freed in turn, so few follow each other."""
    graph = make(device, block_size=8, weight_dtype=weight_dtype)
    expected = {}
    for time in range(40):
        src, dst, weights = random_batch(rng, VERTICES, 150, weight_dtype)
        if time % 4 == 3:
            src, dst = np.array(list(expected))[rng.permutation(len(expected))[: len(expected) // 2]].T
            graph.delete_edges(src, dst)
            for arc in zip(src.tolist(), dst.tolist(), strict=True):
                del expected[arc]
        else:
            src = np.minimum(src, rng.integers(0, VERTICES, src.size))
            graph.insert_edges(src, dst, weights)
            values = [None] * src.size if weights is None else weights.tolist()
            arcs = zip(src.tolist(), dst.tolist(), values, strict=True)
            expected.update({(u, v): weight for u, v, weight in arcs if u != v})
        check_layout(graph)
        src, dst, weights = (None if array is None else to_host(graph, array).tolist() for array in graph.to_coo())
        found = list(zip(src, dst, weights or [None] * len(src), strict=True))
        assert found == sorted((*arc, weight) for arc, weight in expected.items())
    assert graph.statistics()["straight_blocks"] < 1


def test_a_hub_grows_by_pieces(device):
    """A tree of a few hundred blocks, built in many batches beside another tree, and deleted again."""
    size = 2500
    graph = make(device, num_vertices=size, block_size=8)
    order = np.random.default_rng(5).permutation(np.arange(2, size))
    for piece in np.array_split(order, 60):
        graph.insert_edges(np.r_[np.zeros_like(piece), np.ones_like(piece)], np.r_[piece, piece])
    check_layout(graph)
    assert graph.statistics()["height"] == 9
    for piece in np.array_split(order[::-1], 7):
        graph.delete_edges(np.zeros_like(piece), piece)
        check_layout(graph)
    assert to_host(graph, graph.degrees())[:2].tolist() == [0, size - 2]


def test_deletion_fills_holes_from_the_end(device):
    """Four of ten neighbors are deleted, two of them from the last four: the remaining two of these fill the two
    holes."""
    graph = make(device, np.zeros(10, int), np.arange(1, 11), block_size=8)
    graph.delete_edges([0, 0, 0, 0], [2, 5, 8, 10])
    first = to_host(graph, graph.store.neighbors)[graph.block_size * int(graph.store.records[0, 0]) :][:6]
    assert first.tolist() == [1, 7, 3, 4, 9, 6]
    check_layout(graph)


def test_emptied_blocks_return_to_the_queue(device, rng):
    graph = make(device, *random_batch(rng, VERTICES, 2000)[:2], block_size=8)
    blocks = graph.store.queue.size
    src, dst, _ = graph.to_coo()
    graph.delete_edges(src, dst)
    assert graph.store._free == blocks
    assert not graph.store.records.any()
    check_layout(graph)
    graph.insert_edges(src, dst)
    assert graph.store.queue.size == blocks
    check_layout(graph)


def test_the_queue_grows_by_a_quarter(device):
    """No sooner than four fifths of all blocks are in use."""
    graph = make(device, np.arange(16), np.arange(1, 17), num_vertices=400, block_size=8)
    blocks = graph.store.queue.size
    assert blocks == 21
    for v in range(16, 399):
        used = blocks - graph.store._free + 1
        graph.insert_edges([v], [v + 1])
        if used > 0.8 * blocks:
            assert graph.store.queue.size >= blocks + blocks // 4
            assert graph.store.queue.size <= max(blocks + blocks // 4, used / 0.8 + 1)
        else:
            assert graph.store.queue.size == blocks
        blocks = graph.store.queue.size
    check_layout(graph)


def test_the_queue_grows_as_far_as_memory_allows(monkeypatch):
    graph = make("cpu", np.arange(16), np.arange(1, 17), block_size=8)
    grow = graph.store._grow

    def refuse(capacity, bits):
        if capacity > 24:
            raise MemoryError
        grow(capacity, bits)

    monkeypatch.setattr(graph.store, "_grow", refuse)
    graph.insert_edges([20, 21], [0, 0])  # 18 blocks of 21 are in use: more would be welcome, but are not needed
    assert graph.store.queue.size == 21
    graph.insert_edges(np.arange(30, 36), np.zeros(6, int))
    assert graph.store.queue.size == 24 and graph.store._free == 0
    with pytest.raises(MemoryError):
        graph.insert_edges([40], [0])
    assert graph.num_arcs == 24
    check_layout(graph)


def test_hubs_are_looked_up_together(device, monkeypatch):
    """Arcs of long lists use another path than arcs of short ones."""
    from structures.blocks import store

    src, dst = np.r_[np.zeros(50, int), np.arange(1, 50)], np.r_[np.arange(1, 51), np.zeros(49, int)]
    graph = make(device, src, dst, block_size=8)
    expected = to_host(graph, graph.find_edges(src, dst))
    monkeypatch.setattr(store, "SHORT_LIST", 8)
    asked_src, asked_dst = np.r_[src, 0, 51, 0, src[::-1]], np.r_[dst, 55, 0, 0, dst[::-1]]
    found = to_host(graph, graph.find_edges(asked_src, asked_dst))
    assert found.tolist() == [*expected.tolist(), -1, -1, -1, *expected[::-1].tolist()]


def test_compact(device, rng):
    graph = make(device, *random_batch(rng, VERTICES, 300, "float32"))
    for _ in range(10):
        graph.insert_edges(*random_batch(rng, VERTICES, 300, "float32"))
        graph.delete_edges(*random_batch(rng, VERTICES, 300)[:2])
    before = [to_host(graph, array).tolist() for array in graph.to_coo()]
    version, reserved = graph.version, graph.memory_usage().reserved
    graph.compact()
    numbers = graph.statistics()
    assert graph.version > version
    assert numbers["straight_blocks"] == 1
    assert graph.memory_usage().reserved <= reserved
    assert [to_host(graph, array).tolist() for array in graph.to_coo()] == before
    check_layout(graph)
    graph.rebuild(block_size=64)
    assert graph.block_size == 64
    graph.insert_edges([0], [1], [3.5])
    check_layout(graph)


def test_statistics_say_where_bytes_are(device, rng, weight_dtype):
    graph = make(device, *random_batch(rng, VERTICES, 500, weight_dtype))
    numbers = graph.statistics()
    parts = numbers["bytes_per_arc"]
    assert sum(parts.values()) == pytest.approx(graph.memory_usage().bytes_per_arc)
    assert parts["arcs"] == 4 + (4 if weight_dtype else 0)
    assert numbers["blocks"] * graph.block_size * numbers["block_utilisation"] == pytest.approx(graph.num_arcs)
    assert numbers["blocks"] + numbers["free_blocks"] == graph.store.queue.size


@pytest.mark.slow
@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
def test_copies_and_files_go_on(device, tmp_path, rng, vertex_dtype):
    graph = make(device, *random_batch(rng, VERTICES, 400)[:2], block_size=8, vertex_dtype=vertex_dtype)
    graph.save(tmp_path / "graph.npz")
    for other in (graph.copy(), GraphVine.load(tmp_path / "graph.npz", device=device)):
        assert other.block_size == 8
        batch = random_batch(rng, VERTICES, 400)[:2]
        other.delete_edges(*batch)
        other.insert_edges(*random_batch(rng, VERTICES, 400)[:2])
        check_layout(other)
    check_layout(graph)


def test_the_check_finds_what_is_wrong(rng):
    """Each element of the layout, spoiled."""
    batch = random_batch(rng, VERTICES, 1500)[:2]

    def swap_children(graph):
        root = int(graph.store.records[0, 0])
        graph.store.children[root] = graph.store.children[root, ::-1].copy()

    def make_hole(graph):
        graph.store.neighbors[graph.block_size * int(graph.store.records[3, 0])] = -1

    def forget_block(graph):
        graph.store._free -= 1

    def wrong_last(graph):
        graph.store.records[1, 1] += 1

    def wrong_straight(graph):
        graph.store.records[2, 3] = 0

    for spoil in (swap_children, make_hole, forget_block, wrong_last, wrong_straight):
        graph = make("cpu", *batch, block_size=8)
        check_layout(graph)
        spoil(graph)
        with pytest.raises(AssertionError):
            check_layout(graph)
