"""Describe a measurement for results files: machine, date, commit and versions."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

import frontier as fr

PROJECT_ROOT = Path(fr.__file__).resolve().parents[1]

PACKAGES = (
    "numpy", "numba", "scipy", "cuda-core", "numba-cuda", "numba-cuda-mlir", "cupy-cuda13x", "cupy-cuda12x",
    "nvidia-cuda-nvrtc", "pylibcugraph-cu13", "pylibcugraph-cu12", "networkx", "igraph", "networkit",
)  # fmt: skip


def describe_run(device: fr.advanced.Device, **options: Any) -> dict[str, Any]:
    """Machine, its current speed, date, commit, versions, and `options`."""
    commit, dirty = _commit()
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "dirty": dirty,
        "machine": _machine(device),
        "python_loop_ms": python_loop_ms(),
        "versions": {"python": platform.python_version(), **_versions()},
        **options,
    }


def _commit() -> tuple[str, bool | None]:
    """The hash of the commit, and whether files differ from it. Without Git, ``DYNFRONTIER_COMMIT`` defines it."""
    said = os.environ.get("DYNFRONTIER_COMMIT")
    if said:
        return said.removesuffix("-dirty"), said.endswith("-dirty")

    def git(*words: str) -> str:
        command = ["git", *words]
        return subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout.strip()

    if not (PROJECT_ROOT / ".git").exists():  # an installed copy, perhaps within another repository
        return "unknown", None
    try:
        return git("rev-parse", "HEAD"), bool(git("status", "--porcelain", "--", ".", ":!benchmarks/results"))
    except (OSError, subprocess.CalledProcessError):
        return "unknown", None


def _machine(device: fr.advanced.Device) -> dict[str, Any]:
    found: dict[str, Any] = {"cpu": _cpu_name(), "cores": cores(), "system": platform.platform()}
    if device.is_gpu:
        runtime = device.xp.cuda.runtime
        properties = runtime.getDeviceProperties(device.xp.cuda.Device().id)
        found |= {
            "gpu": properties["name"].decode(),
            "gpu_memory": int(properties["totalGlobalMem"]),
            "multiprocessors": int(properties["multiProcessorCount"]),
            "driver": _driver(),
            "cuda_runtime": int(runtime.runtimeGetVersion()),
        }
    return found


def python_loop_ms() -> float:
    """Best milliseconds of a fixed Python loop: up to twice as long where other users share the cores."""
    times = []
    for _ in range(3):
        begin, total = time.perf_counter(), 0
        for i in range(300_000):
            total += i & 7
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)


def cores() -> int:
    """The number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _driver() -> str:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True, timeout=20).stdout.splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown"


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
