"""The GPU's own time for an update: the sum of its kernels, copies and fills, as CUPTI reports them.

    python -m benchmarks kernels [--scales 20,22] [--structures slab,hornet] [--out DIR]

The wall clock of small batches is mostly the host's: Python, launches, one synchronization. Peers usually publish times
of kernels only, so these figures are comparable with them. Needs PyTorch, whose profiler reads CUPTI.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

import frontier as fr
from dynfrontier.machine import describe_run

from .batches import new_batches
from .context import choose_structures
from .defaults import BASELINE, BATCH_SEED, GRAPH_SEED, VARIANTS, axes_for
from .graphs import GraphSource
from .results import Results, command_line, table

SIZES = (2**16, 2**18, 2**20, 2**22)
BATCHES = 4  # of each size, without the first


def busy_times(call: Any, synchronize: Any) -> tuple[float, dict[str, float]]:
    """Microseconds of GPU time per call, in total and by kernel."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as recorded:
        call()
        synchronize()
    by_name: dict[str, float] = defaultdict(float)
    for event in recorded.events():
        if event.device_type == DeviceType.CUDA:
            by_name[event.name[:60]] += event.device_time
    return sum(by_name.values()), dict(by_name)


def measure(
    results: Results,
    device: fr.advanced.Device,
    graph: Any,
    kind: type[fr.DynamicGraph],
    variant: str,
    sizes: Sequence[int],
) -> None:
    """Insert, look up and delete batches of new arcs, and store the times of the GPU."""
    src, dst = graph.arcs()
    weighted = variant == "weighted"
    xp = device.xp
    weights = xp.ones(src.size, xp.float32) if weighted else None
    held = kind.from_edges(src, dst, weights, graph.num_vertices, directed=True, device=device)
    for size in sizes:
        batches = new_batches(graph, held, "uniform", size, BATCHES)
        batch_weights = xp.ones(size, xp.float32) if weighted else None
        for operation in ("insert", "query", "delete"):
            samples = []
            for a, b in batches or []:
                method, extra = {
                    "insert": (held.insert_edges, (batch_weights,)),
                    "query": (held.has_edges, ()),
                    "delete": (held.delete_edges, ()),
                }[operation]
                samples.append(busy_times(partial(method, a, b, *extra), device.synchronize))
            kept = sorted(samples[1:], key=lambda sample: sample[0])
            microseconds, kernels = kept[len(kept) // 2]
            results.add(
                graph=graph.name, structure=kind.name, variant=variant, operation=operation, batch_size=size,
                busy_us=microseconds, m_edges_per_s=size / microseconds, samples_us=[s for s, _ in samples],
                kernels_us=kernels,
            )  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Measure, save and print. Returns 0."""
    line = command_line("kernels", __doc__, ["gpu"])
    line.add_argument("--scales", default="20,22", help="of the RMAT graphs, separated by commas")
    line.add_argument("--structures", help="names, separated by commas (default: all)")
    line.add_argument("--sizes", default=",".join(map(str, SIZES)), help="edges of a batch, separated by commas")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device("gpu")
    scales = tuple(int(scale) for scale in options.scales.split(","))
    source = GraphSource(device, axes_for("gpu", "quick", scales))
    wanted = options.structures.split(",") if options.structures else None
    sizes = [int(size) for size in options.sizes.split(",")]
    seeds = {"graph": GRAPH_SEED, "batch": BATCH_SEED}
    header = describe_run(device, batch_sizes=sizes, batches=BATCHES, seeds=seeds)
    results = Results("kernels", "gpu", "quick", header=header)
    for scale in scales:
        graph = source.get(f"rmat{scale}")
        for name, kind in choose_structures(wanted).items():
            if name == BASELINE:
                continue
            for variant in VARIANTS:
                measure(results, device, graph, kind, variant, sizes)
                print(f"{graph.name} {name} {variant}", flush=True)
                results.save(options.out)
    for operation in ("insert", "query", "delete"):
        rows = [
            (r["graph"], r["structure"], r["variant"], r["batch_size"], r["busy_us"], r["m_edges_per_s"])
            for r in results.where(operation=operation)
        ]
        print(table(f"{operation}: GPU busy", ("graph", "structure", "variant", "batch", "µs", "M edges/s"), rows))

    return 0
