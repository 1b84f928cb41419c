"""A test that hangs is a failure, wherever it hangs. --long tries more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
HANGS = '''
import ctypes

def test_hangs_in_python():
    while True:
        pass

def test_hangs_in_compiled_code():
    """It holds the interpreter's lock, and no signal brings it back to Python."""
    mutex = ctypes.create_string_buffer(64)
    lock = ctypes.PyDLL(None).pthread_mutex_lock
    lock(mutex)
    lock(mutex)
'''
CONFTEST = """
from tests.conftest import *
import tests.conftest

tests.conftest.BACKSTOP = 1
"""


def run_pytest(folder, text, *options):
    """Exit status and output of pytest for a test file with this text, under the project's conftest.py."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS / "support"), *sys.path])}
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--rootdir", str(folder), *options]
    found = subprocess.run(
        [*command, str(folder)], capture_output=True, text=True, cwd=folder, env=environment, timeout=120
    )
    return found.returncode, found.stdout + found.stderr


@pytest.mark.slow
def test_a_hang_is_a_failure(tmp_path):
    pytest.importorskip("pytest_timeout")
    status, output = run_pytest(tmp_path, HANGS, "--timeout=1")
    assert status == 1
    assert "test_hangs_in_python FAILED" in output
    assert "Timeout (0:00:02)!" in output  # the second ended the process
    assert "in test_hangs_in_compiled_code" in output


def test_tries(tries, request):
    assert tries(3, 70) == (70 if request.config.getoption("--long") else 3)


@pytest.mark.slow
def test_long(tmp_path):
    status, output = run_pytest(tmp_path, "def test_tries(tries):\n    assert tries(3, 70) == 70\n", "--long")
    assert status == 0, output
