"""Worker processes with a time limit for each request: a crash or an endless run costs one cell."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 120.0
"""Added to the limit of the first request to a process, for its imports and the start of the device."""


class WorkerProcess:
    """A process of `worker` for graphs on a device. A request starts it, also after it was ended or has crashed."""

    def __init__(self, device: str):
        self.device = device
        self._process: subprocess.Popen | None = None
        self._errors = tempfile.NamedTemporaryFile("w+", prefix="dynfrontier-worker-", suffix=".txt")  # noqa: SIM115
        self._answers: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._errors.close()

    def ask(self, limit: float, **request: Any) -> dict[str, Any]:
        """Return the answer of `worker`, ``{"late": limit}``, or ``{"error": ...}`` after a crash.

        An interrupt ends the process: the next request would get the answer to this one.
        """
        try:
            return self._ask(limit, request)
        except BaseException:
            self._end()
            raise

    def _ask(self, limit: float, request: dict[str, Any]) -> dict[str, Any]:
        if self._process is None:
            self._start()
            limit_now = limit + START_LIMIT_S
        else:
            limit_now = limit
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=limit_now)
        except queue.Empty:
            self._end()
            return {"late": limit}
        except OSError:
            line = ""
        if line:
            return json.loads(line)
        code = self._process.wait()
        self._end()
        return {"error": reason(code, Path(self._errors.name))}

    def _start(self) -> None:
        command = [sys.executable, "-m", "dynfrontier.comparison.worker", self.device]
        self._errors.seek(0)
        self._errors.truncate()
        self._answers = queue.Queue()
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            process_group=0,
        )  # fmt: skip  # which Ctrl-C of a terminal does not reach: this process decides
        threading.Thread(target=_read, args=(self._process, self._answers), daemon=True).start()

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # of a request that was not read
            self._process.stdin.close()
        self._process = None


def _read(process: subprocess.Popen, answers: queue.Queue[str]) -> None:
    """Queue each line of a process, and an empty one at its end."""
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            answers.put(line)
    answers.put("")


def reason(code: int, errors: Path) -> str:
    """Why a process failed: the signal that ended it, or its last line."""
    if code < 0:
        return f"crashed ({signal.Signals(-code).name})"
    lines = [line for line in errors.read_text(errors="replace").splitlines() if line.strip()]
    return f"failed: {lines[-1][:200]}" if lines else f"failed with exit status {code}"
