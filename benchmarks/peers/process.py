"""The side of a benchmark from which peers are run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..graphs import BenchmarkGraph
from ..results import ROOT


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
        batches: list[tuple[Any, Any]] | None = None,
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
        batches : list of pairs of arrays, optional
            New edges, for the task ``"recount"``.

        Returns
        -------
        answers : list of dict
            One for each task that the peer can do and has done.
        note : str
            What went wrong, or "".
        """
        for index, (src, dst) in enumerate(batches or ()):
            self._save(f"src{index}", src, np.int32)
            self._save(f"dst{index}", dst, np.int32)
        request = {
            "num_vertices": self.graph.num_vertices, "source": source, "repeat": repeat, "task_limit": task_limit,
            "batches": len(batches or ()), "tasks": tasks,
        }  # fmt: skip
        (self.folder / "request.json").write_text(json.dumps(request))
        answers = self.folder / "answers.jsonl"
        answers.unlink(missing_ok=True)
        command = [sys.executable, "-m", "benchmarks.peers.worker", self.peer, str(self.folder)]
        with open(self.folder / "errors.txt", "w+") as errors:
            process = subprocess.Popen(command, cwd=ROOT, stdout=errors, stderr=errors, env=dict(os.environ))
            try:
                code = process.wait(timeout)
                note = "" if code == 0 else reason(code, self.folder / "errors.txt")
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                note = f"not done after {timeout:.0f} s"
        found = [json.loads(line) for line in answers.read_text().splitlines()] if answers.exists() else []
        notes = [f"{answer['task']}: {answer['error']}" for answer in found if "error" in answer]
        missing = len(tasks) - len(found)
        if note and missing:
            note = f"{tasks[len(found)]}: {note}"
        return [answer for answer in found if "error" not in answer and "absent" not in answer], "; ".join(
            [*notes, note] if note else notes
        )


def reason(code: int, errors: Path) -> str:
    """Why a process failed: the signal that ended it, or its last words."""
    if code < 0:
        return f"crashed ({signal.Signals(-code).name})"
    lines = [line for line in errors.read_text(errors="replace").splitlines() if line.strip()]
    return f"failed: {lines[-1][:200]}" if lines else f"failed with exit status {code}"
