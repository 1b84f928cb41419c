"""A graph with edge data and a model of it."""

import numpy as np
from model import edge_key, to_host

N = 40
DATA = {"time": "int64", "amount": "float32"}


class Pair:
    """A graph with edge data, and a dict of its edges: id, weight, time, amount."""

    def __init__(self, structure, device, *, weight_dtype=None, num_vertices=N, **options):
        self.graph = structure(
            num_vertices, edge_data=DATA, device=device, weight_dtype=weight_dtype, **options
        )  # fmt: skip
        self.rows = {}
        self.dead = set()

    key = edge_key

    def batch(self, rng, size):
        """Random edges between vertices that exist: some are loops, some listed twice, in either direction."""
        alive = np.setdiff1d(np.arange(self.graph.num_vertices), list(self.dead))
        src, dst = rng.choice(alive, size), rng.choice(alive, size)
        times, amounts = rng.integers(0, 2**60, size), rng.random(size).astype(np.float32)
        weights = rng.integers(-3, 9, size).astype(np.float32) if self.graph.is_weighted else None
        return src, dst, weights, times, amounts

    def insert(self, src, dst, weights, time, amount, on_existing="replace"):
        result = self.graph.insert_edges(src, dst, weights, time=time, amount=amount, on_existing=on_existing)
        weights = np.ones(len(src)) if weights is None else weights
        last = {self.key(u, v): row for u, v, *row in zip(*map(np.ndarray.tolist, (src, dst, weights, time, amount)),
                                                         strict=True) if u != v}  # fmt: skip
        before = dict(self.rows)
        for key, (weight, *values) in last.items():
            held = self.rows.get(key)
            if held is not None and on_existing == "keep":
                continue
            if on_existing == "add":
                weight += held[1] if held else 0
            if on_existing == "add" and weight <= 0:
                self.rows.pop(key, None)
            else:
                self.rows[key] = [held and held[0], weight, *values]
        known = len(last.keys() & before.keys()) - len(before.keys() - self.rows.keys())
        assert result.replaced == (0 if on_existing == "keep" else known)
        assert result.inserted == len(self.rows.keys() - before.keys())
        assert result.deleted == len(before.keys() - self.rows.keys())

    def delete(self, src, dst):
        gone = {self.key(u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True)} & self.rows.keys()
        assert self.graph.delete_edges(src, dst).deleted == len(gone)
        for key in gone:
            del self.rows[key]

    def delete_vertices(self, ids):
        self.graph.delete_vertices(ids)
        self.dead |= set(ids)
        self.rows = {key: row for key, row in self.rows.items() if not set(key) & self.dead}

    def check(self):
        """The graph contains these rows, each at its former id."""
        graph = self.graph
        assert graph.num_edges == len(self.rows)
        if not self.rows:
            return
        src, dst = np.array(list(self.rows)).T
        ids = to_host(graph, graph.edge_ids(src, dst))
        assert ids.min() >= 0 and ids.max() < graph.edge_capacity and len(np.unique(ids)) == ids.size
        for (key, row), now in zip(self.rows.items(), ids.tolist(), strict=True):
            assert row[0] in (None, now), f"{key} had the id {row[0]}, and now has {now}"
            row[0] = now
        if not graph.directed:
            assert to_host(graph, graph.edge_ids(dst, src)).tolist() == ids.tolist()
        if graph.has_in_edges:
            assert to_host(graph, graph.reverse.edge_ids(dst, src)).tolist() == ids.tolist()
        for column, name in ((2, "time"), (3, "amount")):
            held = to_host(graph, graph.edge_data[name])[ids]
            assert held.tolist() == [row[column] for row in self.rows.values()]
        weights = to_host(graph, graph.edge_weights(src, dst))
        assert weights.tolist() == [row[1] for row in self.rows.values()]
        assert [to_host(graph, ends).tolist() for ends in graph.edge_endpoints(ids)] == [src.tolist(), dst.tolist()]
        order = np.lexsort((dst, src))
        found = [to_host(graph, part) for part in graph.to_coo()[: 3 if graph.is_weighted else 2]]
        for part, wanted in zip(found, (src, dst, weights), strict=False):
            assert part.tolist() == wanted[order].tolist()
