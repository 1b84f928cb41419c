"""A model of distributed graphs with data on edges: a dictionary."""

from __future__ import annotations


class RecordModel:
    """A dictionary of edges to the values of their columns, with the semantics of `DynamicGraph`."""

    def __init__(self, directed, keep_time=None, multi_edges="last"):
        self.directed, self.keep_time, self.multi_edges = directed, keep_time, multi_edges
        self.edges = {}

    def key(self, u, v):
        return (u, v) if self.directed else (min(u, v), max(u, v))

    def counts(self, new, old):
        """Whether a record replaces another one."""
        if self.keep_time is None:
            return True
        return new["time"] >= old["time"] if self.keep_time == "latest" else new["time"] < old["time"]

    def insert(self, src, dst, columns, how):
        batch = {}
        for i, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
            if u == v:
                continue
            record, key = {name: values[i].item() for name, values in columns.items()}, self.key(u, v)
            held = batch.get(key)
            best = record if held is None or self.counts(record, held) else dict(held)
            if self.multi_edges == "sum":
                for name in ("count", "weight"):
                    best = best | {name: record[name] + (0 if held is None else held[name])}
            batch[key] = best
        inserted = deleted = 0
        for key, record in batch.items():
            held = self.edges.get(key)
            if held is not None and how == "keep":
                continue
            adds = how == "add" or self.multi_edges == "sum"
            weight = record["weight"] + (held["weight"] if held is not None and adds else 0)
            if how == "add" and weight <= 0:
                deleted += self.edges.pop(key, None) is not None
                continue
            if held is None:
                inserted += 1
            else:
                if self.multi_edges == "sum":
                    record["count"] += held["count"]
                    count = record["count"]
                if not self.counts(record, held):
                    record = held | ({"count": count} if self.multi_edges == "sum" else {"weight": held["weight"]})
                record = record | ({"weight": weight} if adds else {})
            self.edges[key] = record
        return inserted, deleted

    def remove(self, keys):
        return sum(self.edges.pop(key, None) is not None for key in list(keys))


def check(graph, model):
    """The edges and all columns of a graph, queried from both ends."""
    src, dst, _ = graph.to_coo()
    assert list(zip(src.tolist(), dst.tolist(), strict=True)) == sorted(model.edges)
    for name in graph.edge_data:
        expected = [model.edges[key][name] for key in sorted(model.edges)]
        assert graph.edge_values(name, src, dst).tolist() == expected
        if not graph.directed:
            assert graph.edge_values(name, dst, src).tolist() == expected
