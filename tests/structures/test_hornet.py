"""Particulars of Hornet: the invariants of its blocks and bit trees after every update."""

import numpy as np
import pytest
from model import make, to_host, work_through_batches
from walk import Walk

from structures.hornet import Hornet
from structures.hornet.blocks import CONTINUED, NONE
from structures.hornet.cpu import CLASS_BITS, CLASS_MASK

UNIT = 64  # edges in a block-array: small, so many block-arrays exist


def check_blocks(graph):
    """All documented properties of the arrays of `BlockArrays` and the views."""
    host = graph.device.to_host
    records, pool = host(graph.store.records)[: graph.num_vertices], host(graph.store.neighbors)
    classes = host(graph.store.array_classes)
    unit = 1 << graph.store.unit_bits
    assert pool.size == classes.size * unit
    starts, degrees, kinds = records[:, 0], records[:, 1] >> CLASS_BITS, records[:, 1] & CLASS_MASK
    assert ((starts < 0) == (degrees == 0)).all()
    # Block-arrays of several units.
    i = 0
    while i < classes.size:
        assert classes[i] != CONTINUED, "a part of a block-array that does not begin"
        size = 1 if classes[i] == NONE else graph.store._units(int(classes[i]))
        assert (classes[i + 1 : i + size] == CONTINUED).all() and i + size <= classes.size
        i += size
    # Blocks in use, by block-array.
    used = {int(u): set() for u in np.flatnonzero(classes >= 0)}
    for start, degree, k in zip(starts.tolist(), degrees.tolist(), kinds.tolist(), strict=True):
        if not degree:
            continue
        assert (1 << k) // 4 < degree <= 1 << k, f"{degree} neighbors in a block for {1 << k}"
        array = start // unit
        assert classes[array] == k and (start - array * unit) % (1 << k) == 0
        block = (start - array * unit) >> k
        assert block not in used[array], "two lists in one block"
        used[array].add(block)
        assert (np.diff(pool[start : start + degree]) > 0).all(), "a list is not in order"
    bits = host(graph.store.free_bits).reshape(classes.size, graph.store.words_per_unit)
    counts = host(graph.store.free_counts)
    for array, blocks in used.items():
        number = graph.store._blocks(int(classes[array]))
        free = np.unpackbits(np.ascontiguousarray(bits[array]).view(np.uint8), bitorder="little")[:number]
        assert set(np.flatnonzero(free == 0).tolist()) == blocks, "the bits are not those of the blocks in use"
        assert counts[array] == number - len(blocks)
    sizes = int((np.int64(1) << kinds[degrees > 0]).sum())
    numbers = graph.statistics()
    assert numbers["block_edges"] == sizes
    assert numbers["block_utilisation"] == graph.num_arcs / max(sizes, 1)
    in_use = [array for array, blocks in used.items() if blocks]
    assert sum(numbers["block_arrays"]) == len(in_use)
    assert numbers["block_array_edges"] == sum(graph.store._units(int(classes[array])) * unit for array in in_use)
    assert sum(numbers["free_blocks"]) == counts[in_use].sum()


@pytest.mark.parametrize("weight_dtype", [None, "float32"])
def test_random_batches(device, directed, weight_dtype, rng):
    """Batches of every size, into random positions and hubs, with block-arrays so small that long lists need
    several."""
    pair = make(Hornet, device, num_vertices=200, directed=directed, weight_dtype=weight_dtype, block_array_size=UNIT)
    work_through_batches(pair, check_blocks, rng, 3.5)


def test_blocks_during_a_walk(device, tries):
    walk = Walk(Hornet, device, 3, directed=True, vertex_dtype="int32", weight_dtype=None, operators=False)
    for _ in range(tries(10, 500)):
        walk.run(10, check_every=10)
        check_blocks(walk.graph)


def test_lists_move_when_they_outgrow_their_blocks(device):
    """One edge at a time: to blocks of 2, 4, 8, 16 and 32, and back when a quarter of a block is in use."""
    graph = Hornet(40, device=device, directed=True)
    blocks = []
    for v in range(1, 21):
        graph.insert_edges([0], [v])
        blocks.append(graph.statistics()["block_edges"])
    assert blocks == [1 << (degree - 1).bit_length() for degree in range(1, 21)]
    assert graph.statistics()["moved_blocks"] == 5
    compacted = []
    for degree in range(19, 0, -1):
        graph.delete_edges([0], [degree + 1])
        compacted.append(graph.statistics()["block_edges"])
        check_blocks(graph)
    assert all(size <= 4 * degree for size, degree in zip(compacted, range(19, 0, -1), strict=True))
    graph.delete_edges([0], [1])
    assert graph.statistics()["block_edges"] == 0


def test_memory_keeps_within_twice_the_edges(device, rng):
    """The paper's bound, while lists grow and shrink: of blocks, and of block-arrays but for one of each class."""
    n = 400
    graph = Hornet(n, device=device, directed=True, block_array_size=UNIT)
    held = np.empty((2, 0), np.int64)
    for round_ in range(30):
        new = rng.integers(0, n, (2, 2000))
        graph.insert_edges(*new)
        held = np.concatenate([held, new], axis=1)
        leaving = rng.random(held.shape[1]) < (0.7 if round_ % 4 == 3 else 0.2)
        graph.delete_edges(*held[:, leaving])
        held = held[:, ~leaving]
        slack = (graph.num_arcs + n) // 8 + 2000  # changes after which lists move together, and the changes of a batch
        numbers = graph.statistics()
        assert numbers["block_edges"] <= 2 * (graph.num_arcs + 2 * slack)
        check_blocks(graph)
    graph.compact()
    numbers = graph.statistics()
    classes = np.count_nonzero(numbers["block_arrays"])
    assert numbers["block_edges"] < 2 * graph.num_arcs
    assert numbers["block_array_edges"] <= 2 * graph.num_arcs + classes * UNIT
    assert len(to_host(graph, graph.degrees())) == n
