"""Average the features of the neighbors of each vertex, as graph neural networks do, after every batch of a stream.

    python examples/neighbor_features.py [FILE] [--batch-size N] [--columns K] [--structure NAME] [--device DEVICE]

Only vertices in a batch have new neighbors, so only their averages are recomputed.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import frontier as fr


def feature(src, dst, edge, weight, column, x):
    return x[dst, column]


def aggregate(graph, vertices, x, sums, mean):
    """Update the rows of some vertices."""
    fr.neighbor_reduce(graph, fr.Frontier(graph, vertices), feature, x, columns=x.shape[1], out=sums)
    degrees = graph.degrees()[vertices]
    mean[vertices] = sums[vertices] / graph.xp.maximum(degrees, 1)[:, None]


def main() -> None:
    parser = argparse.ArgumentParser(description="Average features over neighbors after every batch of a stream.")
    parser.add_argument("file", nargs="?", help="an edge list (default: a generated one)")
    parser.add_argument("--batch-size", type=int, default=8192)
    parser.add_argument("--columns", type=int, default=64, help="features of each vertex")
    parser.add_argument("--structure", choices=fr.structures(), default="slab")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()

    if options.file:
        stream = fr.io.read_stream(options.file, options.batch_size)
    else:
        stream = fr.io.stream_edges(fr.io.rmat(scale=12, edge_factor=16), options.batch_size)

    graph = fr.structures()[options.structure](stream.num_vertices, device=options.device)
    xp = graph.xp
    x = xp.asarray(np.random.default_rng(0).random((graph.num_vertices, options.columns), np.float32))
    sums, mean = xp.zeros_like(x), xp.zeros_like(x)
    print("(the first batch waits for compilation, if this machine has not run it before)")
    for number, batch in enumerate(stream, 1):
        begin = time.perf_counter()
        if batch.operation == "insert":
            graph.insert_edges(batch.src, batch.dst)
        else:
            graph.delete_edges(batch.src, batch.dst)
        touched = xp.unique(xp.concatenate([xp.asarray(batch.src), xp.asarray(batch.dst)]))
        aggregate(graph, touched, x, sums, mean)
        graph.device.synchronize()
        milliseconds = 1e3 * (time.perf_counter() - begin)
        print(f"batch {number:3}: {graph.num_edges:9,} edges, {touched.size:6,} vertices, {milliseconds:8.1f} ms")

    everything = fr.neighbor_reduce(graph, None, feature, x, columns=options.columns, dtype=np.float32)
    degrees = xp.maximum(graph.degrees(), 1)[:, None]
    difference = float(abs(everything / degrees - mean).max())
    print(f"aggregated from scratch: {graph.num_vertices:,} vertices of {options.columns} features each")
    assert difference < 1e-4, difference

    # A layer adds a matrix product: xp.maximum(mean @ neighbor_weights + x @ own_weights, 0).
    busiest = int(graph.degrees().argmax())
    print(f"vertex {busiest} has {int(graph.degrees()[busiest]):,} neighbors, whose mean is {mean[busiest].mean():.3f}")


if __name__ == "__main__":
    main()
