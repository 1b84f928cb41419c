"""The pipeline: ``python -m benchmarks pipeline``.

*feeding*: the rows of prepared arrays are inserted into an empty graph, batch by batch. A plain loop inserts them from
arrays of the host and, on a GPU, from arrays on it. A pipeline inserts them from arrays of the host (in pinned memory,
too), from a generator of batches, and with callbacks. *file*: a compressed text file, compared with only decompressing
it. *window*: a sliding window, without and with triangles after every batch, in a plain loop and by a pipeline.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms import DynamicTriangleCount
from dynfrontier import Pipeline
from dynfrontier.machine import describe_run

from .context import choose_structures
from .results import Results, command_line, table
from .timing import Samples, timed

SEED = 7
WINDOW = 0.5  # of the stream
SIZES = {  # base-2 logarithms: vertices, rows, rows of the file
    ("gpu", False): (22, 24, 24), ("gpu", True): (20, 21, 18),
    ("cpu", False): (16, 21, 20), ("cpu", True): (12, 16, 14),
}  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Measure, write a results file, and print tables."""
    line = command_line("pipeline", __doc__)
    line.add_argument("--structures", default="slab", help="names, separated by commas")
    line.add_argument("--quick", action="store_true", help="smaller graphs and streams")
    line.add_argument("--batches", help="base-2 logarithms of batch sizes, as in 14,16 (default: 16, quick: 12)")
    line.add_argument("--records", type=int, help="base-2 logarithm of the rows of a stream")
    line.add_argument("--repeat", type=int, default=5, help="timed runs of each form")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    vertices, records, in_file = (1 << bits for bits in SIZES[device.kind, options.quick])
    if options.records:
        records, in_file = 1 << options.records, min(in_file, 1 << options.records)
    usual = "12" if options.quick else "16"
    sizes = [1 << int(bits) for bits in (options.batches or usual).split(",")]
    results = Results("pipeline", device.kind, "quick" if options.quick else "full",
                      header=describe_run(device, seed=SEED, vertices=vertices, records=records))  # fmt: skip
    src, dst = np.random.default_rng(SEED).integers(0, vertices, (2, records), dtype=np.int32)
    kinds = choose_structures(options.structures.split(","))
    for name in options.structures.split(","):
        for size in sizes:
            feeding(results, device, kinds[name], vertices, src, dst, size, options.repeat)
            window(results, device, kinds[name], vertices, src, dst, size, min(options.repeat, 3))
        file(results, device, kinds[name], vertices, src[:in_file], dst[:in_file], min(options.repeat, 3))
        print(f"{name}: done", flush=True)
    path = results.save(options.out)
    print(f"written to {path}\n\n" + "\n".join(tables(results)))
    return 0


Form = Callable[[Any], None]


def compare(
    results: Results, device: fr.advanced.Device, forms: dict[str, Form], make: Callable[[], Any], count: int,
    repeat: int, over: str, **labels: Any,
) -> None:  # fmt: skip
    """Time forms in turn, each on a new graph, and relate the rates of all to one of them."""
    samples = {name: Samples() for name in forms}
    for turn in range(repeat + 1):  # the first warms up
        for name, form in forms.items():
            timed(device, partial(form, make()), samples[name] if turn else None)
    for name, found in samples.items():
        results.add(
            **labels, form=name, records=count, m_records_per_s=count / found.median / 1e6,
            of_plain=samples[over].median / found.median, **found.numbers(),
        )  # fmt: skip


def insert(src: Any, dst: Any, size: int, graph: Any) -> None:
    """A plain loop."""
    for begin in range(0, src.size, size):
        graph.insert_edges(src[begin : begin + size], dst[begin : begin + size])


def feeding(
    results: Results, device: fr.advanced.Device, kind: Any, vertices: int, src: Any, dst: Any, size: int, repeat: int
) -> None:  # fmt: skip
    """Only insertions."""
    host = src, dst

    def batches() -> Any:
        return ((src[begin : begin + size], dst[begin : begin + size]) for begin in range(0, src.size, size))

    def run(source: Callable[[], Any], graph: Any, *callbacks: Any) -> None:
        Pipeline(source(), graph, batch_size=size).run(*callbacks)

    forms: dict[str, Form] = {"plain loop, host arrays": partial(insert, *host, size)}
    over = "plain loop, host arrays"
    if device.is_gpu:
        over = "plain loop, device arrays"
        on_device = [device.xp.asarray(column) for column in host]
        in_pinned = [pinned(device, column) for column in on_device]
        forms[over] = partial(insert, *on_device, size)
        forms["pipeline, device arrays"] = partial(run, lambda: tuple(on_device))
        forms["pipeline, pinned arrays"] = partial(run, lambda: tuple(in_pinned))
    forms["pipeline, host arrays"] = partial(run, lambda: host)
    forms["pipeline, generator"] = partial(run, batches)
    forms["pipeline, with a callback"] = lambda graph: run(lambda: host, graph, lambda batch: None)
    compare(results, device, forms, lambda: kind(vertices, device=device), src.size, repeat, over,
            what="feeding", structure=kind.name, batch=size)  # fmt: skip


def pinned(device: fr.advanced.Device, array: Any) -> np.ndarray:
    """A copy in the host's memory, pinned where the device is a GPU."""
    array = device.to_host(array)
    if not device.is_gpu:
        return array.copy()
    import cupyx

    found = cupyx.empty_pinned(array.shape, array.dtype)
    found[:] = array
    return found


def window(
    results: Results, device: fr.advanced.Device, kind: Any, vertices: int, src: Any, dst: Any, size: int, repeat: int
) -> None:  # fmt: skip
    """A sliding window of a number of rows, without and with triangles."""
    length = max(int(WINDOW * src.size), size)
    for counting in (False, True):
        few = src.size // 4 if counting and not device.is_gpu else src.size
        used = [device.xp.asarray(column[:few]) for column in (src, dst)]
        host = src[:few], dst[:few]
        latencies: list[float] = []

        def plain(graph: Any, used: Any = used, counting: bool = counting, few: int = few) -> None:
            counter = DynamicTriangleCount(graph) if counting else None
            sliding = fr.SlidingWindow(graph, count=min(length, few // 2))
            for begin in range(0, few, size):
                sliding.push(used[0][begin : begin + size], used[1][begin : begin + size])
                if counter is not None:
                    _ = counter.total

        def piped(
            graph: Any, host: Any = host, counting: bool = counting, few: int = few, latencies: list[float] = latencies
        ) -> None:
            analytics = {"triangles": (DynamicTriangleCount, "total")} if counting else None
            sliding = {"count": min(length, few // 2)}
            with Pipeline(host, graph, analytics, window=sliding, batch_size=size) as pipeline:
                latencies[:] = [batch.seconds for batch in pipeline]

        compare(results, device, {"plain loop, device arrays": plain, "pipeline, host arrays": piped},
                lambda: kind(vertices, device=device, time_unit="ns"), few, repeat, "plain loop, device arrays",
                what="window", structure=kind.name, batch=size, triangles=counting)  # fmt: skip
        row = results.rows[-1]
        row["p50_ms"], row["p99_ms"] = (1e3 * float(np.percentile(latencies, share)) for share in (50, 99))


def file(
    results: Results, device: fr.advanced.Device, kind: Any, vertices: int, src: Any, dst: Any, repeat: int
) -> None:  # fmt: skip
    """A gzip file of SNAP's format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.txt.gz"
        pieces = np.array_split(np.stack([src, dst], axis=1), max(src.size >> 18, 1))
        with ThreadPoolExecutor() as pool:  # which compresses in parallel, as a file may consist of several streams
            path.write_bytes(b"".join(pool.map(lambda text: gzip.compress(text, 6), map(lines_of, pieces))))
        whole = fr.io.read_edges(path)

        def decompress(graph: Any) -> None:
            with gzip.open(path) as opened:
                while opened.read(1 << 20):
                    pass

        def read_first(graph: Any) -> None:
            stream = fr.io.read_stream(path, compact=False)
            for batch in stream:
                graph.insert_edges(batch.src, batch.dst)

        forms: dict[str, Form] = {
            "decompression alone": decompress,
            "insertion alone": partial(insert, whole.src, whole.dst, 1 << 16),
            "read, then insert": read_first,
            "pipeline": lambda graph: Pipeline(path, graph).run() and None,
        }
        compare(results, device, forms, lambda: kind(vertices, device=device), src.size, repeat, "decompression alone",
                what="file", structure=kind.name, bytes=path.stat().st_size)  # fmt: skip


def lines_of(records: Any) -> bytes:
    """Text with a line for each pair of numbers."""
    return ("%d\t%d\n" * len(records) % tuple(records.ravel().tolist())).encode()


def tables(results: Results) -> list[str]:
    """Markdown tables."""
    feeding_rows = results.cells(
        "structure", "batch", "form", "median_ms", "m_records_per_s", "of_plain", what="feeding"
    )  # fmt: skip
    window_rows = [
        (row["structure"], row["batch"], "yes" if row["triangles"] else "no", row["form"], row["m_records_per_s"],
         row["of_plain"], row.get("p50_ms"), row.get("p99_ms")) for row in results.where(what="window")
    ]  # fmt: skip
    file_rows = results.cells("structure", "form", "median_ms", "m_records_per_s", "of_plain", what="file")
    place = "device" if results.device == "gpu" else "host"
    plain = "of the plain loop"
    return [
        table("Insertions", ["structure", "batch", "form", "ms", "M records/s", f"{plain}, {place} arrays"],
              feeding_rows),
        table("A sliding window",
              ["structure", "batch", "triangles", "form", "M records/s", plain, "P50 ms", "P99 ms"], window_rows),
        table("A gzip file", ["structure", "form", "ms", "M records/s", "of decompression"], file_rows),
    ]  # fmt: skip
