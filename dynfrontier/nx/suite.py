"""Run NetworkX's own tests with this backend: ``python -m dynfrontier.nx.suite [arguments of pytest]``.

Prints which functions the backend ran, and which it left to NetworkX and why. Without arguments all of NetworkX is
tested. ``--pyargs networkx.algorithms.tests.test_core``, for example, tests one module.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .calls import VARIABLE
from .info import NAME, SUPPORTED

LOUVAIN = "expects the communities that NetworkX's order of moves leads to, but ours are others of similar modularity"

CYCLES = "expects the nodes of a cycle in the order of NetworkX's shortest path, but ours is another one as short"

EXPECTED: dict[tuple[str, str], str] = {
    ("test_louvain.py", "test_karate_club_partition"): LOUVAIN,
    ("test_louvain.py", "test_undirected_selfloops"): LOUVAIN,
    ("test_louvain.py", "test_none_weight_param"): LOUVAIN,
    ("test_louvain.py", "test_multigraph"): "compares communities of a graph that ran here with those of a multigraph, "
    "which NetworkX ran",
    ("test_cycles.py", "test_unweighted_diamond"): CYCLES,
    ("test_cycles.py", "test_weighted_diamond"): CYCLES,
    ("test_cycles.py", "test_gh6787_and_edge_attribute_names"): CYCLES,
    ("test_mis.py", "test_random_seed"): "expects the set that NetworkX draws for a seed, but ours is another one",
}
"""Reasons by file and test, without parameters."""


def mark(items: list[Any]) -> None:
    """Mark tests as expected to fail."""
    import pytest

    for item in items:
        reason = EXPECTED.get((item.path.name, item.name.split("[")[0]))
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason))


def run(arguments: Sequence[str]) -> tuple[int, dict[str, dict]]:
    """Run pytest in a separate process, and return its exit status and the counts of `calls`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.json"
        environment = os.environ | {
            "NETWORKX_TEST_BACKEND": NAME, "NETWORKX_FALLBACK_TO_NX": "True", VARIABLE: str(path),
        }  # fmt: skip
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "dynfrontier.nx.registered"]
        chosen = list(arguments) or ["--pyargs", "networkx"]
        done = subprocess.run(command + chosen, env=environment, cwd=folder, check=False)
        counts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"ran": {}, "networkx": {}}
    return done.returncode, counts


def report(counts: dict[str, dict]) -> str:
    """A line for each function of the backend, and the total of the calls of further functions."""
    ran, left = counts["ran"], counts["networkx"]
    lines = [f"{'function':36} {'ran here':>9} {'NetworkX':>9}  why"]
    for name in sorted(SUPPORTED):
        reasons = left.get(name, {})
        why = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items(), key=lambda item: -item[1]))
        lines.append(f"{name:36} {ran.get(name, 0):9} {sum(reasons.values()):9}  {why}")
    others = {name: sum(reasons.values()) for name, reasons in left.items() if name not in SUPPORTED}
    lines.append(f"{len(others)} functions that the backend does not have: {sum(others.values())} calls")
    never = [name for name in SUPPORTED if not ran.get(name)]
    lines.append(f"ran here: {len(SUPPORTED) - len(never)} of {len(SUPPORTED)} functions, {sum(ran.values())} calls")
    return "\n".join(lines)


if __name__ == "__main__":
    status, counts = run(sys.argv[1:])
    print(report(counts))
    raise SystemExit(status)
