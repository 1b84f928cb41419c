"""Follow payments as they arrive: groups, important accounts and tight circles after every batch.

    python examples/follow_payments.py [--window BATCHES] [--structure NAME] [--device auto|cpu|gpu]

Three analytics are attached to one graph and maintained incrementally, without further calls. Among random payments
between customers and shops, a circle of accounts pays each other for a while. At the end, the results are compared
with recomputation.
"""

from __future__ import annotations

import argparse

import numpy as np

import frontier as fr
from algorithms import (
    DynamicConnectedComponents,
    DynamicKTruss,
    DynamicPageRank,
    connected_components,
    k_truss,
    pagerank,
)

ACCOUNTS, SHOPS, BATCHES, PER_BATCH = 3_000, 40, 16, 600
CIRCLE = np.arange(1_200, 1_212)
ACTIVE = range(6, 10)  # the batches in which the circle pays


def payments() -> fr.io.EdgeStream:
    """Return payments of customers to shops and to each other. In the active batches the circle pays, too."""
    rng = np.random.default_rng(11)
    count = BATCHES * PER_BATCH
    src = rng.integers(SHOPS, ACCOUNTS, count)
    shops = (SHOPS * rng.random(count) ** 3).astype(np.int64)
    dst = np.where(rng.random(count) < 0.7, shops, rng.integers(SHOPS, ACCOUNTS, count))
    for batch in ACTIVE:
        begin = batch * PER_BATCH
        src[begin : begin + 30], dst[begin : begin + 30] = rng.choice(CIRCLE, (2, 30))
    return fr.io.stream_edges(fr.io.EdgeList(src, dst, num_vertices=ACCOUNTS), PER_BATCH)


def main() -> None:
    parser = argparse.ArgumentParser(description="Groups, important accounts and tight circles in a stream.")
    parser.add_argument("--window", type=int, default=5, help="batches for which a payment stays")
    parser.add_argument("--structure", choices=fr.structures(), default="slab")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()

    graph = fr.structures()[options.structure](ACCOUNTS, device=options.device)
    components = DynamicConnectedComponents(graph)
    ranks = DynamicPageRank(graph, tol=1e-6)
    circles = DynamicKTruss(graph, k=5)  # every edge is in at least three triangles

    print("(the first batches wait for compilation, if this machine has not run them before)")
    window = fr.io.sliding_window(payments(), options.window * PER_BATCH, by="count", directed=False)
    for number, (arriving, leaving) in enumerate(window):
        graph.insert_edges(arriving.src, arriving.dst)
        graph.delete_edges(leaving.src, leaving.dst)
        rank = ranks.pagerank
        top = int(rank.argmax())
        line = (f"batch {number:2}: {graph.num_edges:5,} pairs, {components.count:5,} groups, "
                f"shop {top} has {float(rank[top]):.1%} of the rank")  # fmt: skip
        if circles.num_edges:
            members = np.union1d(*map(graph.device.to_host, (circles.src, circles.dst)))
            line += f"; a circle of {len(members)} accounts, {members[0]} to {members[-1]}"
        print(line)

    assert (components.labels == connected_components(graph).labels).all()
    assert float(abs(ranks.pagerank - pagerank(graph, tol=1e-6).pagerank).sum()) < 1e-4
    truss = k_truss(graph, 5)
    assert (circles.src.tolist(), circles.dst.tolist()) == (truss.src.tolist(), truss.dst.tolist())
    print("recomputed from scratch: the same groups, ranks and circles")


if __name__ == "__main__":
    main()
