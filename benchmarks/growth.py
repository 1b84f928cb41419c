"""The cost of growing: ``python -m benchmarks growth``.

An empty graph grows by batches of one size. The time of each batch, and the memory meanwhile, show whether growth comes
in spikes. The results are P50, P99, P99.9 and the longest of all batches, and the peak of memory compared with the
final memory of the graph. Code is compiled by a first, short stream into another graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run

from .context import choose_structures
from .results import Results, command_line
from .timing import Samples, timed

SEED = 1
WARM_UP = 3  # batches


def main(arguments: Sequence[str]) -> int:
    """Measure each structure. Returns 0."""
    line = command_line("growth", __doc__)
    line.add_argument("--structures", help="names, separated by commas (default: all that are dynamic)")
    line.add_argument("--scale", type=int, default=21, help="of the RMAT graph, which has 16 edges to a vertex")
    line.add_argument("--batch", type=int, default=1 << 20, help="edges of a batch")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    asked = {"scale": options.scale, "batch": options.batch, "seed": SEED}
    results = Results("growth", device.kind, "full", header=describe_run(device, **asked))
    edges = fr.io.rmat(scale=options.scale, edge_factor=16, seed=SEED)
    order = np.random.default_rng(SEED).permutation(edges.num_records)
    src, dst = device.xp.asarray(edges.src[order]), device.xp.asarray(edges.dst[order])
    names = options.structures.split(",") if options.structures else None
    chosen = choose_structures(names)
    for name in names or chosen:
        grow(device, name, edges.num_vertices, src[: WARM_UP * options.batch], dst, options.batch)
        row = grow(device, name, edges.num_vertices, src, dst, options.batch)
        results.add(structure=name, **row)
        print(describe(results.rows[-1]), flush=True)
        results.save(options.out)
    print(f"written to {results.save(options.out)}")
    return 0


def grow(device: fr.advanced.Device, name: str, vertices: int, src: Any, dst: Any, batch: int) -> dict[str, Any]:
    """Insert all of `src`, batch by batch, into a new graph."""
    graph = fr.structures()[name](vertices, device=device.kind, directed=False)
    samples, before, peak = Samples(), in_use(device), 0
    for begin in range(0, src.size, batch):
        part = slice(begin, begin + batch)
        timed(device, lambda: graph.insert_edges(src[part], dst[part]), samples)  # noqa: B023
        peak = max(peak, in_use(device) - before)
    held = graph.memory_usage()
    numbers = {f"p{share}_ms": 1e3 * samples.percentile(share) for share in (50, 99, 99.9, 100)}
    return {
        "arcs": graph.num_arcs, "used_bytes": held.used, "reserved_bytes": held.reserved, "peak_bytes": peak,
        **numbers, **samples.numbers(),
    }  # fmt: skip


def in_use(device: fr.advanced.Device) -> int:
    """Bytes of the GPU in use, including memory that CuPy caches. 0 on the CPU."""
    if not device.is_gpu:
        return 0
    free, total = device.xp.cuda.runtime.memGetInfo()
    return total - free


def describe(row: dict[str, Any]) -> str:
    """A line about a structure."""
    return (
        f"{row['structure']:10} {row['arcs']:,} arcs: P50 {row['p50_ms']:.2f} ms, P99 {row['p99_ms']:.2f}, P99.9 "
        f"{row['p99.9_ms']:.2f}, longest {row['p100_ms']:.2f}, {row['used_bytes'] / 2**20:,.0f} MiB used, "
        f"{row['reserved_bytes'] / 2**20:,.0f} reserved, {row['peak_bytes'] / 2**20:,.0f} at the peak"
    )
