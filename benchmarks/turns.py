"""Two checkouts by turns, cell by cell: ``python -m benchmarks turns --base FOLDER``.

A process of each checkout has the same graphs and analytics. They measure each cell in turns of some batches, and one
is idle while the other measures. Both run on the same core, the fastest of the machine: cores of a shared machine
differ by half, for seconds, which is more than most commits change. Processes run `turns_process.py`, also in checkouts
from before it existed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run

from .context import Budget
from .results import ROOT, Results, command_line, commit_of, table
from .timing import fastest_core

VERSIONS = "base", "this"
ANALYTICS = "connected_components", "triangle_count", "bfs", "sssp", "pagerank"
ALGORITHMS = *ANALYTICS, "k_truss", "core_number", "louvain"


def main(arguments: Sequence[str]) -> int:
    """Measure each structure. Returns 0."""
    line = command_line("turns", __doc__)
    line.add_argument("--base", type=Path, required=True, metavar="DIR", help="the checkout to compare this one with")
    line.add_argument("--structures", default=",".join(fr.structures()), help="names, separated by commas")
    line.add_argument("--analytics", default=",".join(ANALYTICS), help="attached one by one")
    line.add_argument("--algorithms", default=",".join(ALGORITHMS), help="static ones")
    line.add_argument("--scale", type=int, default=18, help="of the RMAT graph")
    line.add_argument("--sizes", default="1,64,1024", help="edges of a batch, separated by commas")
    line.add_argument("--batches", type=int, default=25, help="of a turn")
    line.add_argument("--turns", type=int, default=8, help="of each checkout for each cell")
    line.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="skip cells after this")
    options = line.parse_args(arguments)
    device, budget = fr.advanced.resolve_device(options.device), Budget(options.budget)
    asked = {name: getattr(options, name) for name in ("scale", "batches", "turns")}
    core = fastest_core()
    header = describe_run(device, base=commit_of(options.base), core=core, **asked)
    results = Results("turns", device.kind, "full", header=header)
    for structure in options.structures.split(","):
        if budget.left() < 0:
            _note(results, f"{structure}: no time was left")
            continue
        _measure_structure(results, structure, options, budget)
        results.save(options.out)
    print(summary(results))
    print(f"written to {results.save(options.out)}")
    return 0


def _measure_structure(results: Results, structure: str, options: Any, budget: Budget) -> None:
    """Measure all cells of one structure, by two processes that end with it."""
    asked = {"structure": structure, "device": results.device, "scale": options.scale, "batches": options.batches}
    folders = dict(zip(VERSIONS, (options.base.resolve(), ROOT), strict=True))
    processes = {version: _Process(folder, asked, results.header["core"]) for version, folder in folders.items()}
    try:
        for process in processes.values():
            process.answer()  # both graphs exist before the first turn
        for cell in cells(structure, options):
            if budget.left() < 0:
                _note(results, f"{structure} {cell}: no time was left")
                continue
            try:
                found = _by_turns(processes, cell, options.turns)
            except RuntimeError as error:
                _note(results, f"{structure} {cell}: {error}")
                continue
            for operation in found["this"]:
                results.add(structure=structure, **cell, operation=operation, **compared(found, operation))
                row = results.rows[-1]
                print(f"{structure:10} {cell['name'] or '-':21} {operation:6} {cell['size'] or '':6} "
                      f"P50 {row['base_p50_ms']:9.4f} -> {row['this_p50_ms']:9.4f} ms, {row['p50_ratio']:.2f}; "
                      f"P99 {row['p99_ratio']:.2f}", flush=True)  # fmt: skip
    except RuntimeError as error:
        _note(results, f"{structure}: {error}")
    finally:
        for process in processes.values():
            process.end()


def _note(results: Results, text: str) -> None:
    """Store and show an omission."""
    results.notes.append(text)
    print(text, flush=True)


def _by_turns(processes: dict[str, _Process], cell: dict[str, Any], turns: int) -> dict[str, dict[str, list]]:
    """The seconds of every turn, by checkout and operation. Every other turn begins with the other checkout."""
    found: dict[str, dict[str, list]] = {version: defaultdict(list) for version in VERSIONS}
    for turn in range(turns):
        for version in VERSIONS if turn % 2 else VERSIONS[::-1]:
            for operation, seconds in processes[version].ask(cell).items():
                found[version][operation].append(seconds)
    return found


def cells(structure: str, options: Any) -> Iterator[dict[str, Any]]:
    """The cells of a structure: updates without and with analytics, and static algorithms."""
    for name in ["", *filter(None, options.analytics.split(","))] if structure != "csr" else []:
        for size in map(int, options.sizes.split(",")):
            yield {"kind": "update", "name": name, "size": size}
    for name in filter(None, options.algorithms.split(",")):
        yield {"kind": "static", "name": name, "size": 0}


def compared(found: dict[str, dict[str, list]], operation: str) -> dict[str, Any]:
    """Percentiles of all batches of each checkout, their ratios, and raw times by turn."""
    row: dict[str, Any] = {}
    for share in (50, 99):
        times = {version: 1e3 * float(np.percentile(np.concatenate(found[version][operation]), share))
                 for version in VERSIONS}  # fmt: skip
        row |= {f"{version}_p{share}_ms": round(ms, 5) for version, ms in times.items()}
        row[f"p{share}_ratio"] = round(times["this"] / times["base"], 4)
    medians = {version: [float(np.median(turn)) for turn in found[version][operation]] for version in VERSIONS}
    row["turns_ratio"] = round(float(np.median(np.divide(medians["this"], medians["base"]))), 4)
    for version in VERSIONS:
        row[f"{version}_ms"] = [[round(1e3 * each, 4) for each in turn] for turn in found[version][operation]]
    return row


def summary(results: Results) -> str:
    """Geometric means of the ratios, by structure and by what was measured."""
    parts = []
    for key in ("structure", "name"):
        groups = defaultdict(list)
        for row in results.rows:
            groups[row[key] or "-", row["kind"]].append([row["p50_ratio"], row["turns_ratio"], row["p99_ratio"]])
        rows = [[*group, len(ratios), *np.exp(np.log(ratios).mean(axis=0)).round(3).tolist()]
                for group, ratios in groups.items()]  # fmt: skip
        parts.append(table(f"This checkout / base, by {key}", (key, "kind", "cells", "P50", "by turn", "P99"), rows))
    return "\n".join(parts)


class _Process:
    """A process of one checkout, which measures a cell when it is asked to."""

    def __init__(self, folder: Path, asked: dict[str, Any], core: int):
        command = [sys.executable, "-P", str(Path(__file__).with_name("turns_process.py")), json.dumps(asked)]
        self._process = subprocess.Popen(
            command, cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        os.sched_setaffinity(self._process.pid, {core})

    def ask(self, cell: dict[str, Any]) -> dict[str, list[float]]:
        """The seconds of each batch, by operation.

        Raises
        ------
        RuntimeError
            The checkout cannot measure the cell.
        """
        assert self._process.stdin
        with suppress(BrokenPipeError):  # then there is no answer either
            self._process.stdin.write(json.dumps(cell) + "\n")
            self._process.stdin.flush()
        found = self.answer()
        if isinstance(found, str):
            raise RuntimeError(found)
        return found

    def answer(self) -> Any:
        """The next line of the process. The first one reports that its graph exists."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended with {self._process.wait()}")
        return json.loads(line)

    def end(self) -> None:
        assert self._process.stdin
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
