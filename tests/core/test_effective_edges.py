"""The effective edges of a batch: each once, by its first arc, with any duplicates, loops and directions."""

import numpy as np
import pytest

from frontier.core.effective import effective_edges
from structures import Hornet

N = 40


def expected(known, batch, directed, present):
    """A loop over the batch's arcs."""
    seen = []
    for u, v in batch:
        for a, b in [(u, v)] if directed else [(u, v), (v, u)]:
            if u == v or (not directed and a >= b) or (a, b) in seen:
                continue
            if ((a, b) in known or (not directed and (b, a) in known)) == present:
                seen.append((a, b))
    return seen


@pytest.mark.parametrize("present", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("size", [1, 30, 3000])
def test_against_a_loop(device, rng, size, directed, present):
    known = rng.integers(0, N, (2, 200))
    graph = Hornet.from_edges(*known, num_vertices=N, directed=directed, device=device)
    edges = {(int(u), int(v)) for u, v in known.T}
    for batch in (rng.integers(0, N, (2, size)), rng.integers(0, 4, (2, size)), np.full((2, size), 3)):
        arcs = graph.store.make_arcs(*batch, directed=directed)
        src, dst = effective_edges(graph, arcs, present)
        assert src.dtype == dst.dtype == graph.vertex_dtype
        found = list(zip(src.tolist(), dst.tolist(), strict=True))
        assert found == expected(edges, batch.T.tolist(), directed, present)


def test_bad_ids_are_found(device):
    graph = Hornet(N, device=device)
    with pytest.raises(ValueError, match=r"dst\[1\] is 40"):
        effective_edges(graph, graph.store.make_arcs([1, 2, 2], [2, 40, 3], directed=False), False)
    src, dst = effective_edges(graph, graph.store.make_arcs([5, 1, 5], [2, 0, 2], directed=False), False)
    assert (src.tolist(), dst.tolist()) == ([2, 0], [5, 1])


def test_a_hub_with_all_edges(device):
    graph = Hornet(5000, device=device)
    others = np.arange(1, 5000)
    src, dst = effective_edges(graph, graph.store.make_arcs(np.zeros(4999, int), others, directed=False), False)
    assert src.tolist() == [0] * 4999 and dst.tolist() == others.tolist()
