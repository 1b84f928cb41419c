"""The main job on a large stream: ``python -m benchmarks stream``.

``dynfrontier stream`` runs several times, each time in a separate process, without an analytic and with one. Batches of
some ten thousand rows are bound by the host, which other users of a machine may slow down by half. So each result also
has the time of a loop of Python just before the run, for comparison.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import frontier as fr
from dynfrontier.machine import describe_run, python_loop_ms

from .results import Results, command_environment, command_line, table

ANALYTICS = "none", "triangle_count"


def main(arguments: Sequence[str]) -> int:
    """Run the command, write a results file, and print a table. Returns 0."""
    line = command_line("stream", __doc__)
    line.add_argument("--scale", type=int, help="2**scale vertices (default: 22 on a GPU, 15 on a CPU)")
    line.add_argument("--rounds", type=int, default=5, help="runs with each analytic, by turns")
    line.add_argument("--analytics", default=",".join(ANALYTICS), help="names, or none, separated by commas")
    line.add_argument("--stream", default="", help="more options of dynfrontier stream, in one argument")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    scale = options.scale or (22 if device.is_gpu else 15)
    results = Results("stream", device.kind, "full", header=describe_run(device, scale=scale, stream=options.stream))
    command = ["--device", device.kind, "--scale", str(scale), "--no-check", *shlex.split(options.stream)]
    for turn in range(-1, options.rounds):  # the first one compiles
        for analytic in options.analytics.split(","):
            before = python_loop_ms()
            found = _run([*command, "--analytic", analytic])
            if turn >= 0:
                totals, seconds = found["totals"], found["seconds"]
                results.add(
                    turn=turn, python_loop_ms=before, **found["setting"], totals=totals,
                    seconds=seconds, update_ms=[round(1e3 * step["update_seconds"], 4) for step in found["steps"]],
                )  # fmt: skip
                rate = totals["records_per_second"] / 1e6
                results.save(options.out)
                print(f"{analytic}: {rate:.1f} M records/s, a loop of Python {before:.1f} ms", flush=True)
    path = results.save(options.out)
    print(f"written to {path}\n\n{tables(results)}")
    return 0


def _run(options: list[str]) -> dict[str, Any]:
    """The JSON output of a separate process."""
    with tempfile.TemporaryDirectory(prefix="dynfrontier-stream-") as folder:
        file = Path(folder) / "results.json"
        subprocess.run(
            [sys.executable, "-P", "-m", "dynfrontier", "stream", "--quiet", "--json", str(file), *options],
            env=command_environment(), check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        found: dict[str, Any] = json.loads(file.read_text())
        return found


def tables(results: Results) -> str:
    """A row for each run."""
    columns = ["analytic", "M records/s", "update P50 (us)", "update P99 (us)", "loop of Python (ms)"]
    rows = [
        [row["analytic"], row["totals"]["records_per_second"] / 1e6, 1e6 * row["seconds"]["update"]["p50"],
         1e6 * row["seconds"]["update"]["p99"], row["python_loop_ms"]]
        for row in sorted(results.rows, key=lambda row: (row["analytic"], row["python_loop_ms"]))
    ]  # fmt: skip
    return table("dynfrontier stream", columns, rows)
