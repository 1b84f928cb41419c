"""Ways to bring PageRank up to date after a batch: ``python -m benchmarks ranks``.

`DynamicPageRank` chooses how to send what is pending: by pushes or from all vertices, from the graph as it is stored or
from a static copy of it. Here each choice is made for it in turn, on the same batches, and compared with recomputation
from scratch: the constants that decide were found so. Half of a batch are insertions, half deletions; only the read of
the ranks is timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import frontier as fr
from algorithms import DynamicPageRank, pagerank

from .context import choose_structures
from .defaults import EDGE_FACTOR, GRAPH_SEED, PAGERANK_TOL
from .results import FOLDER, Results, describe_run
from .timing import Samples, timed

WARM_UP = 1  # batches
WAYS: dict[str, dict[str, Any]] = {
    "as chosen": {}, "stored": {"layout": "native"}, "copied": {"layout": "csr"}, "sweeps": {"solves": False},
    "no pushes": {"share": 0.0}, "fewer pushes": {"share": 1 / 32},
}  # fmt: skip
"""What is decided: whether there is a static copy, whether steps may take the place of sweeps, and the part of the
arcs that pushed vertices may have."""


def main(arguments: Sequence[str]) -> int:
    """Measure each way; always 0."""
    line = argparse.ArgumentParser(prog="python -m benchmarks ranks", description=__doc__.splitlines()[0])
    line.add_argument("--device", default="auto", choices=["auto", "cpu", "gpu"])
    line.add_argument("--structure", default="slab")
    line.add_argument("--scales", default="20,22", help="of R-MAT graphs, with commas")
    line.add_argument("--batches", default="1024,65536,1048576", help="changes in a batch, with commas")
    line.add_argument("--ways", default=",".join(WAYS), help="with commas")
    line.add_argument("--repeat", type=int, default=3, help="timed batches of each size")
    line.add_argument("--directed", action="store_true", help="directed graphs, which keep in-edges")
    line.add_argument("--out", type=Path, default=FOLDER, help="folder of the results file")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    scales, sizes = ([int(number) for number in text.split(",")] for text in (options.scales, options.batches))
    asked = {"scales": scales, "batches": sizes, "tol": PAGERANK_TOL, "directed": options.directed}
    results = Results("ranks", device.kind, "full", header=describe_run(device, **asked))
    kind = choose_structures([options.structure])[options.structure]
    for scale in scales:
        src, dst = _rmat(device, scale)
        for size in sizes:
            if size * (options.repeat + WARM_UP) > src.size:
                continue
            rows = measure(device, kind, scale, src, dst, size, options)
            results.rows.extend(rows)
            for row in rows:
                print(
                    f"rmat{scale} {size:8} {row['way']:13} {row['median_ms']:8.2f} ms, from scratch "
                    f"{row['scratch_ms']:8.2f} ms: {row['scratch_ms'] / row['median_ms']:5.2f} times as fast; "
                    f"{row['sums']} sums over all arcs", flush=True,
                )  # fmt: skip
    print(f"written to {results.save(options.out)}")
    return 0


def measure(
    device: fr.advanced.Device, kind: type[fr.DynamicGraph], scale: int, src: Any, dst: Any, size: int, options: Any
) -> list[dict[str, Any]]:
    """One size of batches on one graph, in all ways."""
    half, rows = size // 2, []
    count = options.repeat + WARM_UP
    for way in options.ways.split(","):
        graph = kind.from_edges(
            src[count * half :], dst[count * half :], num_vertices=1 << scale, device=device, directed=options.directed,
            **({"in_edges": True} if options.directed else {}),
        )  # fmt: skip
        update, scratch = Samples(), Samples()
        with deciding(**WAYS[way])(graph, tol=PAGERANK_TOL) as ranks:
            for index in range(count):
                new, gone = slice(index * half, (index + 1) * half), slice(-(index + 1) * half, -index * half or None)
                graph.insert_edges(src[new], dst[new])
                graph.delete_edges(src[gone], dst[gone])
                ranks.sums = 0
                warm = index < WARM_UP
                _, found = timed(device, lambda: ranks.pagerank, None if warm else update)
                _, exact = timed(device, lambda: pagerank(graph, tol=PAGERANK_TOL), None if warm else scratch)  # noqa: B023
                sums = ranks.sums
                if float(abs(found - exact.pagerank).sum()) > 2 * PAGERANK_TOL * 0.85 / 0.15:
                    raise AssertionError(f"{way}: the ranks are not those that are computed from scratch")
        rows.append(
            {"graph": f"rmat{scale}", "structure": kind.name, "batch": size, "way": way, "sums": sums,
             "scratch_ms": 1e3 * scratch.median, **update.numbers()}
        )  # fmt: skip
    return rows


def deciding(layout: str = "auto", solves: bool = True, share: float | None = None) -> type[DynamicPageRank]:
    """The algorithm with these decisions made for it. Counts sums over all arcs."""

    class Deciding(DynamicPageRank):
        sums = 0
        if share is not None:
            _local_share = share

        def _gather(self, shares: Any) -> None:
            self.sums += 1
            super()._gather(shares)

        def _may_solve_in(self, graph: fr.DynamicGraph) -> bool:
            return solves and super()._may_solve_in(graph)

        def _product_for(self, rounds: int, _: bool | str = "auto") -> fr.SpMV:
            return super()._product_for(rounds, layout)

    return Deciding


def _rmat(device: fr.advanced.Device, scale: int) -> tuple[Any, Any]:
    """The records of an R-MAT graph, made where they are used: on the host that takes longer than all the rest."""
    xp, size = device.xp, EDGE_FACTOR << scale
    xp.random.seed(GRAPH_SEED)
    src, dst = xp.zeros(size, xp.int32), xp.zeros(size, xp.int32)
    for _ in range(scale):
        drawn = xp.random.random(size, xp.float32) if device.is_gpu else xp.random.random(size)
        src = 2 * src + (drawn >= 0.76)
        dst = 2 * dst + (((drawn >= 0.57) & (drawn < 0.76)) | (drawn >= 0.95))
    return src.astype(xp.int32), dst.astype(xp.int32)
