"""Count triangles after every batch of a stream, and check the last count against a recount.

    python examples/stream_triangles.py [FILE] [--batch-size N] [--structure NAME] [--device auto|cpu|gpu]

Without a file, a scale-free stream is generated.
"""

from __future__ import annotations

import argparse
import time

import frontier as fr
from algorithms import DynamicTriangleCount, triangle_count


def main() -> None:
    parser = argparse.ArgumentParser(description="Count triangles after every batch of a stream.")
    parser.add_argument("file", nargs="?", help="an edge list (default: a generated one)")
    parser.add_argument("--batch-size", type=int, default=8192)
    parser.add_argument("--structure", choices=fr.structures(), default="slab")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()

    if options.file:
        stream = fr.io.read_stream(options.file, options.batch_size)
    else:
        stream = fr.io.stream_edges(fr.io.rmat(scale=12, edge_factor=16), options.batch_size)

    structure = fr.structures()[options.structure]
    graph = structure(stream.num_vertices, device=options.device)
    triangles = DynamicTriangleCount(graph)  # maintained from now on
    print("(the first batch waits for compilation, if this machine has not run it before)")
    for number, batch in enumerate(stream, 1):
        begin = time.perf_counter()
        if batch.operation == "insert":
            graph.insert_edges(batch.src, batch.dst)
        else:
            graph.delete_edges(batch.src, batch.dst)
        milliseconds = 1e3 * (time.perf_counter() - begin)
        print(f"batch {number:3}: {graph.num_edges:9,} edges {triangles.total:11,} triangles {milliseconds:8.1f} ms")

    recount = triangle_count(graph).total
    print(f"counted from scratch: {recount:,} triangles")
    assert recount == triangles.total
    busiest = int(triangles.per_vertex.argmax())
    print(f"vertex {busiest} is part of {int(triangles.per_vertex[busiest]):,} of them, more than any other")


if __name__ == "__main__":
    main()
