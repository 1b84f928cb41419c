"""Run one workload on every structure and compare updates, analytics and memory.

    python examples/compare_structures.py [--scale S] [--batch-size N] [--device auto|cpu|gpu]

Half of a scale-free graph is loaded. The second half is inserted in batches and deleted again in the same batches.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import frontier as fr
from algorithms import bfs, triangle_count


def timed(graph: fr.Graph, work: Callable[[], object], *, repeat: bool = False) -> float:
    """Return the seconds of a call, including the device's work. With repetition, measure the second call."""
    if repeat:
        work()  # compile first
    graph.device.synchronize()
    begin = time.perf_counter()
    work()
    graph.device.synchronize()
    return time.perf_counter() - begin


def measure(structure: type[fr.DynamicGraph], edges: fr.io.EdgeList, batch_size: int, device: str) -> dict[str, float]:
    """Rates and times of one structure."""
    half = len(edges) // 2
    start, rest = edges[:half], edges[half:]
    graph = structure.from_edges(start.src, start.dst, num_vertices=edges.num_vertices, device=device)
    batches = list(rest.batches(batch_size))
    insert = timed(graph, lambda: [graph.insert_edges(batch.src, batch.dst) for batch in batches])
    memory = graph.memory_usage()
    found = {
        "insert, M edges/s": len(rest) / insert / 1e6,
        "delete, M edges/s": 0.0,  # measured last
        "triangles, ms": 1e3 * timed(graph, lambda: triangle_count(graph), repeat=True),
        "BFS, ms": 1e3 * timed(graph, lambda: bfs(graph, 0), repeat=True),
        "memory / CSR": memory.used / memory.csr,
        "number of triangles": triangle_count(graph).total,
    }
    delete = timed(graph, lambda: [graph.delete_edges(batch.src, batch.dst) for batch in batches])
    found["delete, M edges/s"] = len(rest) / delete / 1e6
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare all structures on one workload.")
    parser.add_argument("--scale", type=int, default=13)
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    options = parser.parse_args()

    small = fr.io.rmat(8, 8)
    edges = fr.io.rmat(options.scale, 16)
    print(f"{len(edges):,} records over {edges.num_vertices:,} vertices, batches of {options.batch_size:,}")
    results = {}
    for name, structure in fr.structures().items():
        if not issubclass(structure, fr.DynamicGraph):
            continue
        measure(structure, small, 256, options.device)  # compiles the updates
        results[name] = measure(structure, edges, options.batch_size, options.device)
    print(" " * 20 + "".join(f"{name:>12}" for name in results))
    for figure in next(iter(results.values())):
        digits = 0 if figure == "number of triangles" else 2
        print(f"{figure:<20}" + "".join(f"{found[figure]:12,.{digits}f}" for found in results.values()))
    assert len({found["number of triangles"] for found in results.values()}) == 1


if __name__ == "__main__":
    main()
