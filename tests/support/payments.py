"""A small graph that stores every record of an edge."""

from __future__ import annotations

from model import to_host

import frontier as fr
from structures import SlabGraph


def total_since(src, dst, edge, weight, last, previous, time, amount, start):
    total = 0.0
    record = last[edge]
    while record >= 0 and time[record] >= start:
        total += amount[record]
        record = previous[record]
    return total


def payments(device, **options):
    graph = SlabGraph(4, time_unit="s", weight_dtype="float64", multi_edges="all", device=device, **options)
    result = graph.insert_edges([0, 1, 1, 0, 3], [1, 0, 2, 1, 3], [1.0, 2, 4, 8, 16], time=[30, 10, 20, 20, 5])
    assert to_host(graph, result.record_ids).tolist() == [0, 1, 2, 3, -1]
    return graph


def totals(graph, start):
    of_edges, of_records = graph.edge_data, graph.record_data
    arguments = of_edges["last"], of_records["previous"], of_records["time"], of_records["weight"]
    return fr.neighbor_reduce(graph, None, total_since, *arguments, start)
