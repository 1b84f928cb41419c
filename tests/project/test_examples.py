"""The examples run, and print the expected text."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from frontier.core.structures import structures
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

pytestmark = pytest.mark.slow

EXAMPLES = sorted(path.name for path in (PROJECT_ROOT / "examples").glob("*.py"))
ARGUMENTS = {
    "choose_structure.py": ("--batch-size", "512", "--seconds", "1"),
    "compare_structures.py": ("--scale", "8", "--batch-size", "256"),
}
EXPECTED = {
    "choose_structure.py": ("single_partner, P50", "latency ", "bytes an edge", *structures()),
    "compare_structures.py": ("number of triangles", *structures()),
    "custom_analytic.py": ("flagged:", "batch  10:", "at 2 hops"),
    "follow_payments.py": ("a circle of 12 accounts, 1200 to 1211", "the same groups, ranks and circles"),
    "neighbor_features.py": ("aggregated from scratch: 4,096 vertices of 64 features each", "whose mean is 0.5"),
    "payment_features.py": ("batch  8:", "1 too late", "account 300"),
    "redis_stream.py": ("stopped after 3,000 payments of 500 accounts", "29,833,578 cents in the graph, 29,833,578"),
    "sliding_window.py": ("burst between 20 vertices",),
    "stream_triangles.py": ("counted from scratch: 478,358 triangles",),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    if name == "redis_stream.py":
        pytest.importorskip("redis")
        if shutil.which("redis-server") is None:
            pytest.skip("needs redis-server")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT)}
    command = [sys.executable, str(PROJECT_ROOT / "examples" / name), "--device", "cpu", *ARGUMENTS.get(name, ())]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    for text in EXPECTED[name]:
        assert text in done.stdout


def test_examples_say_how_they_are_run():
    for name in EXAMPLES:
        assert f"python examples/{name}" in (PROJECT_ROOT / "examples" / name).read_text()
