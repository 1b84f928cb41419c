"""Lists of neighbors as sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from verifiers import host

import frontier as fr

N = 500


def neighbor_sets(graph):
    found = [set() for _ in range(graph.num_vertices)]
    for u, v in zip(*(host(part).tolist() for part in graph.to_coo()[:2]), strict=True):
        found[u].add(v)
        if not graph.directed:
            found[v].add(u)
    return found


def check(graph, us, vs):
    offsets, ids = fr.common_neighbors(graph, us, vs)
    assert offsets.dtype == np.int64 and ids.dtype == graph.vertex_dtype
    offsets, ids = host(offsets), host(ids)
    sets = neighbor_sets(graph)
    expected = [sorted((sets[u] & sets[v]) - {u, v}) for u, v in zip(us, vs, strict=True)]
    assert [ids[low:high].tolist() for low, high in pairwise(offsets)] == expected
    assert np.diff(offsets).tolist() == host(fr.intersect(graph, us, vs)).tolist()
    assert offsets[0] == 0 and offsets[-1] == ids.size
