"""The side of a benchmark from which peers are run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import numpy as np

from dynfrontier.comparison.process import reason

from ..graphs import BenchmarkGraph
from ..results import ROOT

POLL_S = 0.2
START_S = 30.0
"""Added to the limit of a process's first task, for its imports."""


class PeerRun:
    """A peer and a graph.

    Parameters
    ----------
    peer : str
        A key of `dynfrontier.peers.PEERS`.
    graph : BenchmarkGraph
    """

    def __init__(self, peer: str, graph: BenchmarkGraph):
        self.peer = peer
        self.graph = graph
        self.folder = Path(tempfile.mkdtemp(prefix="dynfrontier-peer-"))

    def __enter__(self) -> Self:
        self._save("src", self.graph.src, np.int32)
        self._save("dst", self.graph.dst, np.int32)
        self._save("weights", self.graph.weights, np.float32)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _save(self, name: str, array: Any, dtype: Any) -> None:
        np.save(self.folder / f"{name}.npy", self.graph.device.to_host(array).astype(dtype, copy=False))

    def ask(
        self, tasks: list[str], *, timeout: float, source: int = 0, repeat: int = 1, task_limit: float = float("inf"),
        task_timeout: float = float("inf"), batches: list[tuple[Any, Any]] | None = None,
    ) -> tuple[list[dict[str, Any]], str]:  # fmt: skip
        """Have tasks done.

        Parameters
        ----------
        tasks : list of str
            ``"build"``, ``"recount"``, or names of `worker.TASKS`.
        timeout : float
            Seconds after which the process is ended.
        repeat : int
            Timed calls of each task.
        task_limit : float
            Seconds after which a task is not repeated.
        task_timeout : float
            Seconds after which a task is given up: its answer is ``{"task": ..., "late_s": ...}``, and a new process
            continues with the next.
        batches : list of pairs of arrays, optional
            New edges, for the task ``"recount"``.

        Returns
        -------
        answers : list of dict
            One for each task that the peer can do and has done.
        note : str
            The failure, or "".
        """
        for index, (src, dst) in enumerate(batches or ()):
            self._save(f"src{index}", src, np.int32)
            self._save(f"dst{index}", dst, np.int32)
        request = {
            "num_vertices": self.graph.num_vertices, "source": source, "repeat": repeat, "task_limit": task_limit,
            "batches": len(batches or ()),
        }  # fmt: skip
        end = time.perf_counter() + timeout
        found: dict[str, dict[str, Any]] = {}
        notes: list[str] = []
        rest = list(tasks)
        while rest:
            answers, note, late = self._run({**request, "tasks": rest}, end, task_timeout)
            for answer in answers:
                found.setdefault(answer["task"], answer)
            notes += [f"{answer['task']}: {answer['error']}" for answer in answers if "error" in answer]
            missing = rest[len(answers) :]
            if note:
                notes.append(f"{missing[0]}: {note}" if missing else note)
            if not late or not missing:
                break
            found[missing[0]] = {"task": missing[0], "late_s": task_timeout}
            rest = ["build", *missing[1:]] if missing[1:] and missing[0] != "build" else []
        kept = [answer for answer in found.values() if "error" not in answer and "absent" not in answer]
        return kept, "; ".join(notes)

    def _run(self, request: dict[str, Any], end: float, task_timeout: float) -> tuple[list[dict[str, Any]], str, bool]:
        """One process: its answers, its failure, or "", and whether that is a task that exceeded its time."""
        (self.folder / "request.json").write_text(json.dumps(request))
        path = self.folder / "answers.jsonl"
        path.unlink(missing_ok=True)
        command = [sys.executable, "-m", "benchmarks.peers.worker", self.peer, str(self.folder)]
        note, late, count = "", False, 0
        with open(self.folder / "errors.txt", "w+") as errors:
            process = subprocess.Popen(command, cwd=ROOT, stdout=errors, stderr=errors, env=dict(os.environ))
            begin = time.perf_counter()
            try:
                while True:
                    now = time.perf_counter()
                    late = now - begin > task_timeout + (START_S if not count else 0)
                    if late or now > end:
                        limit = task_timeout if late else end - begin
                        note = f"not done after {max(limit, 0):.0f} s"
                        break
                    try:
                        code = process.wait(min(POLL_S, max(end - now, 0.001)))
                        note = "" if code == 0 else reason(code, self.folder / "errors.txt")
                        break
                    except subprocess.TimeoutExpired:
                        if len(_answers(path)) > count:
                            count, begin = len(_answers(path)), time.perf_counter()
            finally:  # after an interrupt it would write among the answers of the next one
                process.kill()
                process.wait()
        return _answers(path), note, late


def _answers(path: Path) -> list[dict[str, Any]]:
    """The answers so far. An incomplete line has none yet."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]
