"""The mutation tool: it makes the faults that it reports, and knows tests for every file."""

import ast
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mutation.kernels import kernel_mutants
from mutation.mutants import mutants
from mutation.targets import folders_of, needs_gpu, targets_of

from frontier.runtime.compile.disk_cache import PROJECT_ROOT

pytestmark = pytest.mark.slow

TEXT = '''
LIMIT = 7

def f(a, b=True):
    """1 < 2"""
    if a < b and not a:
        raise ValueError(f"{a + 1}")
    if x.is_gpu:
        return a + 11
    g(a, b)
    g(a, a)
    h(a, tile=14, **x._tiles(15))
    c[0] = max(
        a,
        b,
    )
    if not x.is_gpu:
        return a
    return a - 12

def on_gpu(a):
    return a + 13

class _DeviceRange:
    def f(self, a):
        return a + 16
'''
CHANGES = {
    "(a <= b)", "(a >= b)", "(a < b or not a)", "(a)", "(not (a < b and (not a)))", "(False)", "(g(b, a))", "pass",
    "(1)", "(-1)", "(min(a, b)\n\n\n)",
}  # fmt: skip
FILES = [
    path.relative_to(PROJECT_ROOT).as_posix()
    for package in ("frontier", "structures")
    for path in sorted((PROJECT_ROOT / package).rglob("*.py"))
]

KNOWN = {path.name for path in (PROJECT_ROOT / "tests").rglob("test_*.py")}


def test_faults():
    found = mutants(TEXT)
    assert {mutant.new for mutant in found} == CHANGES
    for mutant in found:
        assert mutant.apply(TEXT) != TEXT
        ast.parse(mutant.apply(TEXT))
    assert any("12" in mutant.old for mutant in mutants(TEXT, gpu=True))


def test_faults_can_be_parsed():
    for file in FILES[::10]:
        text = (PROJECT_ROOT / file).read_text()
        for mutant in mutants(text)[::10]:
            ast.parse(mutant.apply(text), file)


def test_faults_of_kernels():
    text = "// a < b\n#define A 1 < 2\nif (a < b && c[i + 1]) continue;\n"
    assert sorted(mutant.new for mutant in kernel_mutants(text)) == ["", " <= ", " || ", ";"]
    assert all(mutant.apply(text).startswith("// a < b\n#define A 1 < 2\n") for mutant in kernel_mutants(text))


def test_every_file_has_tests():
    for file in FILES:
        tests, _ = targets_of(file)
        folders = [PROJECT_ROOT / "tests" / folder for folder in folders_of(file)]
        assert needs_gpu(file) or KNOWN.intersection(tests) or any(folder.is_dir() for folder in folders), file


CASES = """
import pytest

@pytest.mark.parametrize("case", range(3))
@pytest.mark.parametrize("test", [0])
def test_cases(test, case):
    while LOOPS and case == 1:
        pass

def test_other():
    pass
"""


def run_in_process(folder: Path, loops: bool = False, **limits: str) -> subprocess.CompletedProcess[str]:
    """Run two files of these cases as the tests of a mutant are run."""
    for name in ("test_first.py", "test_second.py"):
        (folder / name).write_text(f"LOOPS = {loops}\n{CASES}")
    options = ["-v", "-p", "no:cacheprovider", "-p", "mutation.in_process", "--rootdir", str(folder)]
    environment = {**os.environ, "PYTEST_ADDOPTS": "", "PYTHONPATH": str(PROJECT_ROOT / "tests"), **limits}
    command = [sys.executable, "-m", "pytest", *options, "test_second.py", "test_first.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_one_case_of_each_test_comes_first(tmp_path):
    ran = re.findall(r"test_(\w+)\.py::test_(\w+)(?:\[0-(\d)\])? PASSED", run_in_process(tmp_path).stdout)
    first = [("second", "cases", "0"), ("second", "other", ""), ("first", "cases", "0"), ("first", "other", "")]
    assert ran == [*first, *((file, "cases", case) for file in ("second", "first") for case in "12")]


def test_what_comes_after_the_time_is_left_out(tmp_path):
    done = run_in_process(tmp_path, MUTATION_SECONDS="0")
    assert done.returncode == 0 and "PASSED" not in done.stdout and "FAILED" not in done.stdout


@pytest.mark.skipif(not hasattr(signal, "SIGXCPU"), reason="the system limits no processor time")
def test_a_test_without_end_is_ended(tmp_path):
    assert run_in_process(tmp_path, loops=True, MUTATION_TEST_SECONDS="1").returncode == -signal.SIGXCPU
