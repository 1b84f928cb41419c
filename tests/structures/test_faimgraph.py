"""faimGraph's own: pages and their links, directories of long lists, the page queue, and lists without holes."""

import numpy as np
import pytest
from model import assert_same, make, random_batch, to_host

from frontier import io
from structures import FaimGraph
from structures.faimgraph import store as store_module
from structures.faimgraph.cpu import CHAIN_PAGES

VERTICES = 60
ENTRIES = 16  # of a page of 64 bytes
# Lengths of lists near the lengths at which they need a page, a directory, another index page, another level.
LENGTHS = sorted({
    pages * ENTRIES + more for pages in (0, 1, CHAIN_PAGES, 16, 17, 256, 257, 300) for more in (-1, 0, 1, 5)
} - {-1})  # fmt: skip


def on_host(graph):
    """The arrays that `pages_of` reads of a graph: records, entries and links of pages, and the entries of a page."""
    arrays = (to_host(graph, array) for array in (graph.store.records, graph.store.neighbors, graph.store.links))
    return (*arrays, graph.store.page_entries)


def pages_of(held, v):
    """The pages of v's neighbors in order, by its directory if it has one or else by links, and its index pages."""
    records, pool, links, size = held
    record = int(records[v])
    degree, head = record >> 32, record & 0xFFFFFFFF
    count = -(-degree // size)
    row, index = [head][:count], []
    if count <= CHAIN_PAGES:
        while len(row) < count:
            row.append(int(links[row[-1]]))
        return row, index
    levels = next(levels for levels in range(1, 32) if size**levels >= count)
    for level in range(levels - 1, -1, -1):
        index += row
        entries = [int(pool[page * size + k]) for page in row for k in range(size)]
        row = entries[: -(-count // size**level)]
    return row, index


def check_layout(graph):
    """Raise AssertionError unless every page is used once, every link right, and every list without holes."""
    records, pool, links, size = held = on_host(graph)
    found, used = {}, []
    for v in range(graph.num_vertices):
        degree = int(records[v]) >> 32
        pages, index = pages_of(held, v)
        used += pages + index
        assert [int(links[page]) for page in pages[:-1]] == pages[1:], f"links of {v}"
        for place in range(degree):
            slot = pages[place // size] * size + place % size
            assert 0 <= pool[slot] < graph.num_vertices, f"a hole in the list of {v}"
            found[v, int(pool[slot])] = slot
        if not degree:
            assert records[v] == 0
    free = to_host(graph, graph.store.queue)[: graph.store._queued].tolist()
    assert sorted(used + free) == list(range(graph.store._used)), "pages are in one list, or in the queue, once"
    assert graph.store._used <= graph.store.links.size == graph.store.neighbors.size // size
    assert len(found) == graph.num_arcs
    if found:
        src, dst = np.array(list(found)).T
        assert to_host(graph, graph.find_edges(src, dst)).tolist() == list(found.values())


def fan(lengths, num_vertices=5000):
    """Sources and destinations of arcs that give vertex i ``lengths[i]`` neighbors."""
    src = np.repeat(np.arange(len(lengths)), lengths)
    dst = np.concatenate([np.setdiff1d(np.arange(length + 1), i)[:length] for i, length in enumerate(lengths)])
    assert dst.max(initial=0) < num_vertices
    return src, dst


@pytest.mark.parametrize("page_size", [0, 16, 48, 2048, 64.5, "64", None, True])
def test_bad_page_size(page_size):
    with pytest.raises(ValueError, match=r"page_size must be one of 32, 64"):
        FaimGraph(3, page_size=page_size, device="cpu")


@pytest.mark.slow
@pytest.mark.parametrize("page_size", [32, 64, 128, 1024])
@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
def test_page_sizes(device, rng, page_size, vertex_dtype):
    options = dict(num_vertices=600, directed=True, page_size=page_size, vertex_dtype=vertex_dtype)
    pair = make(FaimGraph, device, *random_batch(rng, 600, 300)[:2], **options)
    assert pair.graph.store.page_entries * np.dtype(vertex_dtype).itemsize == page_size
    hub = np.zeros(500, int)
    for _ in range(3):
        src, dst, _ = random_batch(rng, 600, 900)
        pair.insert(np.concatenate([src, hub]), np.concatenate([dst, rng.permutation(600)[:500]]))
        check_layout(pair.graph)
        src, dst, _ = random_batch(rng, 600, 900)
        pair.delete(np.concatenate([src, hub]), np.concatenate([dst, rng.permutation(600)[:500]]))
        check_layout(pair.graph)
    assert_same(pair.graph, pair.model)


def test_built_lists_of_all_lengths(device):
    graph = FaimGraph.from_edges(*fan(LENGTHS), num_vertices=5000, directed=True, device=device)
    check_layout(graph)
    assert to_host(graph, graph.degrees())[: len(LENGTHS)].tolist() == LENGTHS


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [1, 2, 7, 40])
def test_lists_grow_and_shrink(device, rng, pieces):
    """Through all lengths, by little and by much: directories gain and lose pages and levels."""
    src, dst = fan(LENGTHS[::3])
    graph = FaimGraph(5000, directed=True, device=device)
    for part in np.array_split(rng.permutation(src.size), pieces):
        graph.insert_edges(src[part], dst[part])
        check_layout(graph)
    most = graph.store._used
    for part in np.array_split(rng.permutation(src.size), pieces):
        graph.delete_edges(src[part], dst[part])
        check_layout(graph)
    assert graph.num_edges == 0 and graph.store._queued == graph.store._used == most


@pytest.mark.parametrize("which", ["first", "last", "others", "all but one", "both ends", "last in other order"])
@pytest.mark.parametrize("length", [1, 15, 16, 17, 64, 65, 70, 300, 5000])
def test_holes_are_filled(device, length, which):
    dst = np.arange(1, length + 1)
    weights = dst.astype(np.float32)
    pair = make(FaimGraph, device, np.zeros(length, int), dst, weights, num_vertices=length + 1, directed=True)
    gone = {
        "first": dst[: length // 2], "last": dst[length // 2 :], "others": dst[::2], "all but one": dst[1:],
        "both ends": np.concatenate([dst[: length // 4], dst[-(length // 3) :]]), "last in other order": dst[3:][::-1],
    }[which]  # fmt: skip
    pair.delete(np.zeros(gone.size, int), gone)
    check_layout(pair.graph)
    left = np.setdiff1d(dst, gone)
    assert to_host(pair.graph, pair.graph.edge_weights(np.zeros(left.size, int), left)).tolist() == left.tolist()
    pair.insert(np.zeros(length, int), dst, weights * 2)
    check_layout(pair.graph)
    pair.check()


def test_a_mixed_stream(new_faimgraph, rng, weight_dtype):
    pair = new_faimgraph(*random_batch(rng, VERTICES, 500, weight_dtype), num_vertices=VERTICES)
    for _ in range(12):
        pair.insert(*random_batch(rng, VERTICES, int(rng.integers(1, 600)), weight_dtype))
        check_layout(pair.graph)
        pair.delete(*random_batch(rng, VERTICES, int(rng.integers(1, 600)))[:2])
        check_layout(pair.graph)
        gone = rng.permutation(VERTICES)[:5]
        pair.delete_vertices(gone)
        check_layout(pair.graph)
        pair.insert_vertices(5)
    pair.check()


@pytest.fixture
def new_faimgraph(device):
    return lambda *args, **options: make(FaimGraph, device, *args, **options)


def test_freed_pages_are_taken_first(device):
    src, dst = fan([40] * 50)
    graph = FaimGraph.from_edges(src, dst, num_vertices=100, directed=True, device=device)
    used, capacity = graph.store._used, graph.slot_capacity
    for shift in (50, 20, 0):
        graph.delete_edges(src, dst)
        assert graph.store._queued == used
        graph.insert_edges((src + shift) % 100, dst + 50)
        assert (graph.store._used, graph.store._queued, graph.slot_capacity) == (used, 0, capacity)
        graph.delete_edges((src + shift) % 100, dst + 50)
        graph.insert_edges(src, dst)
        check_layout(graph)


def test_a_deleted_vertex_leaves_its_pages(device):
    src, dst = fan([300, 5, 70])
    graph = FaimGraph.from_edges(src, dst, num_vertices=400, directed=True, device=device)
    pages = [sum(map(len, pages_of(on_host(graph), v))) for v in range(3)]
    graph.delete_vertices([0, 2])
    assert graph.store._queued == pages[0] + pages[2]
    check_layout(graph)
    assert to_host(graph, graph.insert_vertices(2)).tolist() == [0, 2], "ids are given out again"
    graph.insert_edges(*fan([300, 0, 70]))
    assert graph.store._queued == 0 and graph.store._used == sum(pages)
    check_layout(graph)


def test_the_pool_grows_by_little(device, rng):
    graph = FaimGraph(2000, directed=True, device=device)
    for _ in range(30):
        graph.insert_edges(*random_batch(rng, 2000, 2000)[:2])
        pages, capacity = graph.statistics()["pages"], int(graph.store.links.size)
        assert pages <= capacity <= max(1.25 * pages, pages + 1)


def test_no_more_pages_than_numbers(device, monkeypatch):
    graph = FaimGraph.from_edges(*fan([40] * 10), num_vertices=100, directed=True, device=device)
    before = to_host(graph, graph.store.records).tolist()
    monkeypatch.setattr(store_module, "MAX_PAGES", graph.store._used + 20)
    with pytest.raises(MemoryError, match="32-bit page numbers"):
        graph.insert_edges(*fan([99] * 50, 100))
    assert to_host(graph, graph.store.records).tolist() == before
    graph.insert_edges(*fan([64] * 10))  # 10 pages more
    graph.insert_edges(*fan([64] * 12))
    check_layout(graph)


def test_statistics(device):
    graph = FaimGraph.from_edges(*fan([16, 17, 65, 0, 4097]), num_vertices=5000, directed=True, device=device)
    # The last list has 257 pages, under 17, 2 and 1 index pages. The third list has one index page.
    expected = dict(pages=286, index_pages=21, free_pages=0, unused_pages=0, longest_list=257)
    numbers = graph.statistics()
    assert {name: numbers[name] for name in expected} == expected
    assert numbers["page_utilisation"] == graph.num_arcs / (265 * ENTRIES)
    assert graph.memory_usage().used == 286 * (64 + 4) + 8 * 5000
    graph.delete_edges(*fan([16, 0, 1]))
    assert graph.statistics()["free_pages"] == 1 + 2  # the page of a list, and a page with the directory over it
    empty = FaimGraph(0, device=device).statistics()
    assert set(empty.details.values()) == {0}


@pytest.mark.parametrize("kind, most", [("rmat", 6.6), ("uniform", 5.8)])
def test_memory_is_tight(device, kind, most):
    """Graphs need at most the bytes per arc of the authors' code, on graphs of the same shape."""
    if kind == "rmat":
        edges = io.rmat(14, 16, seed=1)
        src, dst, n = edges.src, edges.dst, edges.num_vertices
    else:
        n = 1 << 13
        src, dst = np.random.default_rng(1).integers(0, n, (2, 16 * n))
    graph = FaimGraph.from_edges(src, dst, num_vertices=n, device=device)
    assert graph.memory_usage().bytes_per_arc < most


def test_compact(device, rng):
    pair = make(FaimGraph, device, *random_batch(rng, 500, 20_000, "float32"), num_vertices=500, directed=True)
    pair.delete(*random_batch(rng, 500, 200_000)[:2])
    arcs, reserved = pair.graph.num_arcs, pair.graph.store.links.size
    assert 0 < arcs < 15_000
    pair.graph.compact()
    check_layout(pair.graph)
    assert pair.graph.store.links.size == pair.graph.statistics()["pages"] < reserved / 1.25
    assert pair.graph.store._queued == 0
    pair.insert(*random_batch(rng, 500, 5000, "float32"))
    check_layout(pair.graph)
    pair.check()


def test_compact_without_memory(device, rng, monkeypatch):
    pair = make(FaimGraph, device, *random_batch(rng, 50, 500), num_vertices=50)

    def refuse(*_):
        raise MemoryError("no memory left, for the test")

    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(FaimGraph.store_type, "_new_pool", refuse)
        pair.graph.compact()
    check_layout(pair.graph)
    pair.check()


def test_files_keep_pages(device, rng, tmp_path):
    pair = make(FaimGraph, device, *random_batch(rng, 50, 3000), num_vertices=50, page_size=32)
    pair.delete(*random_batch(rng, 50, 1000)[:2])
    pair.graph.save(tmp_path / "graph.npz")
    pair.graph = FaimGraph.load(tmp_path / "graph.npz", device=device)
    assert pair.graph.page_size == 32 and pair.graph.store._queued > 0
    for _ in range(3):
        pair.insert(*random_batch(rng, 50, 800))
        check_layout(pair.graph)
        pair.delete(*random_batch(rng, 50, 800)[:2])
        check_layout(pair.graph)
    pair.check()
