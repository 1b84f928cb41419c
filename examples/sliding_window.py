"""Find a burst in a sliding window: sudden traffic within a group raises the triangles of the window.

    python examples/sliding_window.py [--window BATCHES] [--structure NAME] [--device auto|cpu|gpu]

The stream is random traffic with a group of vertices that is densely connected for a while. Every batch inserts new
edges and deletes the edges that leave the window. The triangle count follows both.
"""

from __future__ import annotations

import argparse

import numpy as np

import frontier as fr
from algorithms import DynamicTriangleCount

VERTICES, BATCHES, PER_BATCH = 2_000, 24, 1_000
GROUP = np.arange(700, 720)
BURST = range(10, 14)  # the batches with its edges


def traffic() -> fr.io.EdgeStream:
    """Return random edges. In the batches of the burst, some are between members of the group."""
    edges = fr.io.uniform(VERTICES, BATCHES * PER_BATCH, seed=3)
    src, dst = edges.src.copy(), edges.dst.copy()
    rng = np.random.default_rng(3)
    for batch in BURST:
        begin = batch * PER_BATCH
        src[begin : begin + 60], dst[begin : begin + 60] = rng.choice(GROUP, (2, 60))
    return fr.io.stream_edges(fr.io.EdgeList(src, dst, num_vertices=VERTICES), PER_BATCH)


def main() -> None:
    parser = argparse.ArgumentParser(description="Find a burst by the triangles of a sliding window.")
    parser.add_argument("--window", type=int, default=5, help="batches for which an edge stays")
    parser.add_argument("--structure", choices=fr.structures(), default="slab")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()

    graph = fr.structures()[options.structure](VERTICES, device=options.device)
    triangles = DynamicTriangleCount(graph)
    usual, busiest = 0, 0  # most triangles of a window without a burst, and of a vertex in it
    window = fr.io.sliding_window(traffic(), options.window * PER_BATCH, by="count", directed=False)
    for number, (arriving, leaving) in enumerate(window):
        graph.insert_edges(arriving.src, arriving.dst)
        graph.delete_edges(leaving.src, leaving.dst)
        line = f"batch {number:2}: {graph.num_edges:5,} edges in the window, {triangles.total:4} triangles"
        per_vertex = graph.device.to_host(triangles.per_vertex)
        if number >= options.window and triangles.total > 1.5 * usual:
            members = np.flatnonzero(per_vertex > busiest)
            line += f"  burst between {len(members)} vertices: {', '.join(map(str, members[:6]))} ..."
        else:
            usual, busiest = max(usual, triangles.total), max(busiest, per_vertex.max())
        print(line)


if __name__ == "__main__":
    main()
