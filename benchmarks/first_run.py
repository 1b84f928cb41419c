"""The first run of the main job on a machine: ``python -m benchmarks first-run``.

``dynfrontier stream``, as ``./demo`` starts it once the project is installed, runs with empty caches of compiled code
and then again. Times are of the whole command, from the start of Python to its end.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run

from .cold_start import caches_in
from .results import Results, command_environment, command_line

RUNS = "first", "second"


def main(arguments: Sequence[str]) -> int:
    """Time the command. Returns 0."""
    line = command_line("first-run", __doc__)
    line.add_argument("--rounds", type=int, default=3, help="with empty caches each")
    line.add_argument("--stream", default="", help="options of dynfrontier stream, in one argument")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    results = Results("first-run", device.kind, "full", header=describe_run(device, stream=options.stream))
    command = [sys.executable, "-P", "-m", "dynfrontier", "stream", "--device", device.kind]
    command += ["--quiet", *shlex.split(options.stream)]
    for turn in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="dynfrontier-first-") as folder:
            environment = command_environment(**caches_in(folder))
            for run in RUNS:
                begin = time.perf_counter()
                subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
                row = results.add(turn=turn, run=run, milliseconds=1e3 * (time.perf_counter() - begin))
                results.save(options.out)
                print(f"{run} run: {row['milliseconds'] / 1e3:.2f} s", flush=True)
    for run in RUNS:
        times = [row["milliseconds"] / 1e3 for row in results.where(run=run)]
        print(f"{run} run: median {np.median(times):.2f} s, least {min(times):.2f} s")
    print(f"written to {results.save(options.out)}")
    return 0
