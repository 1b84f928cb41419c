"""Compiled code is kept on disk, found again by another process, and never found for other sources than its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from frontier.functor import fingerprint

ROOT = Path(__file__).parents[1]
SCRIPT = """
import sys

import numpy as np

import frontier as fr
from frontier.runtime import progress
from structures import CSR

LIMIT = {limit}


def below(v, x):
    return v < LIMIT


compiled = []
with progress.on_compile(compiled.append):
    graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    kept = fr.filter(fr.Frontier.all(graph), below, np.zeros(4))
print(len(compiled), len(kept))
"""


def run(tmp_path, limit, source=SCRIPT):
    """Compilations and vertices kept, in a process of its own."""
    script = tmp_path / "script.py"
    script.write_text(source.format(limit=limit))
    environment = os.environ | {"DYNFRONTIER_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_a_second_process_compiles_nothing_and_a_changed_constant_is_noticed(tmp_path):
    compiled, kept = run(tmp_path, 2)
    assert compiled > 0 and kept == 2
    assert run(tmp_path, 2) == [0, 2]
    compiled, kept = run(tmp_path, 3)
    assert compiled == 1 and kept == 3  # the functor's kernel alone


def test_a_functor_whose_module_was_renamed_is_compiled_again(tmp_path):
    own = "def below(v, x):\n    return v < LIMIT\n"
    assert own in SCRIPT
    for module, compiles in (("before", True), ("before", False), ("after", True)):
        (tmp_path / f"{module}.py").write_text("def below(v, x):\n    return v < 2\n")
        compiled, kept = run(tmp_path, 2, SCRIPT.replace(own, f"from {module} import below\n"))
        assert (compiled > 0) == compiles and kept == 2
        (tmp_path / f"{module}.py").unlink()


def named(source, name="op", **names):
    exec(source, names)
    return names[name]


BASE = "def op(v, x):\n    return x[v] > limit"


@pytest.mark.parametrize(
    "other",
    [
        named("def op(v, x):\n    return x[v] >= limit", limit=3),
        named("def op(v, x):\n    return x[v] > limit + 1", limit=3),
        named(BASE, limit=4),
        named(BASE, limit=3.0),
        named("def op(v, y):\n    return y[v] > limit", limit=3),
    ],
    ids=["operator", "constant", "global", "type of a global", "name"],
)
def test_fingerprints_differ(other):
    assert fingerprint(other) != fingerprint(named(BASE, limit=3))


def test_fingerprints_follow_callees():
    def caller(body):
        helper = named(f"def helper(x):\n    return {body}", "helper")
        return named("def op(v, x):\n    return helper(x[v])", helper=helper)

    assert fingerprint(caller("x > 1")) == fingerprint(caller("x > 1"))
    assert fingerprint(caller("x > 1")) != fingerprint(caller("x > 2"))


def test_machine_code_is_kept_by_everything_that_went_into_it(tmp_path, monkeypatch):
    pytest.importorskip("cuda.core")
    from frontier.runtime import cuda

    monkeypatch.setattr(cuda, "cache_directory", lambda: tmp_path)
    made = []
    monkeypatch.setattr(cuda, "compile_cubin", lambda *parts: made.append(parts) or b"code")
    asked = [
        ("a.cuh", (("VID", "int"),), (), "sm_90"),
        ("a.cuh", (("VID", "i64"),), (), "sm_90"),
        ("b.cuh", (("VID", "int"),), (), "sm_90"),
        ("a.cuh", (("VID", "int"),), (b"functor",), "sm_90"),
        ("a.cuh", (("VID", "int"),), (), "sm_80"),
    ]
    for _ in range(2):
        for parts in asked:
            assert cuda.cached_cubin(*parts) == b"code"
    assert made == asked
    monkeypatch.setattr(cuda, "source_fingerprint", lambda suffix: "a header has changed")
    cuda.cached_cubin(*asked[0])
    assert len(made) == len(asked) + 1
