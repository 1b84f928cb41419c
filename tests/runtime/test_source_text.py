"""The identity of functions in all versions of Python: their text, and the values of the names in it."""

import importlib.util
import linecache
import os
import subprocess
import sys

import pytest

from frontier.runtime.compile import source_text
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from frontier.runtime.compile.function_identity import _identities, identity
from frontier.runtime.compile.source_text import text_of

MODULE = """
import math

import frontier as fr

LIMIT = 3
TWO = 2


def helper(x):
    return x + TWO


def below(v, x, low=1):
    # text, too
    fr.atomic_add(x, v, helper(LIMIT))
    return math.sqrt(v) < LIMIT and x[v] > low


def make(limit):
    def inner(v, x):
        return [i for i in range(v)][0] < limit
    return inner


inner = make(4)
single = lambda v, x: v < LIMIT
one, other = lambda v, x: v < 1, lambda v, x: v < 2
"""


def load(folder, text=MODULE, name="functors"):
    path = folder / f"{name}.py"
    path.write_text(text)
    linecache.checkcache(str(path))
    source_text._definitions.cache_clear()
    _identities.clear()  # equal code of another file is the same there
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def portable(function):
    return identity(function).portable


def test_text_of(tmp_path):
    module = load(tmp_path)
    assert text_of(module.below.__code__).startswith("def below(v, x, low=1):\n    # text")
    assert text_of(module.inner.__code__).splitlines()[0] == "    def inner(v, x):"
    assert text_of(module.single.__code__) == "single = lambda v, x: v < LIMIT\n"
    assert text_of(module.one.__code__) is None  # which of the two is unknown
    assert text_of(compile("def f(): pass", "<no file>", "exec").co_consts[0]) is None


def test_an_edited_file_has_no_text_for_old_code(tmp_path):
    old = load(tmp_path)
    new = load(tmp_path, MODULE.replace("LIMIT and", "TWO and"))
    assert text_of(new.below.__code__) is not None
    assert text_of(old.below.__code__) is None and portable(old.below) is None
    assert text_of(old.helper.__code__) == text_of(new.helper.__code__)  # above the edit
    moved = load(tmp_path, "\n" + MODULE)
    assert portable(moved.below) == portable(load(tmp_path).below)  # lines do not matter


CHANGES = {
    "a global": ("LIMIT = 3", "LIMIT = 4"),
    "a global of a helper": ("TWO = 2", "TWO = 2.0"),
    "a helper": ("x + TWO", "x - TWO"),
    "a default": ("low=1", "low=0"),
    "a closure": ("make(4)", "make(5)"),
    "the code": ("x[v] >", "x[v] >="),
    "a library's function": ("import math\n", "import cmath as math\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_meaning_is_noticed(change, tmp_path):
    before = load(tmp_path)
    found = portable(before.below), portable(before.inner)
    assert None not in found
    old, new = CHANGES[change]
    assert old in MODULE
    after = load(tmp_path, MODULE.replace(old, new), "changed")
    name = "inner" if change == "a closure" else "below"
    assert portable(getattr(after, name)) not in (*found, None)
    same = "below" if change == "a closure" else "inner"
    assert portable(getattr(after, same)) in found


def test_values_of_now_count(tmp_path, monkeypatch):
    module = load(tmp_path)
    before = portable(module.below)
    monkeypatch.setattr(module, "TWO", 5)
    assert portable(module.below) not in (before, None)
    monkeypatch.setattr(module, "TWO", 2)
    assert portable(module.below) == before
    monkeypatch.setattr(module, "TWO", object())  # which has no value
    assert portable(module.below) is None


SCRIPT = """
import algorithms._pagerank_functors as module
from frontier.runtime.compile.function_identity import identity
found = identity(module.send_first)
print(found.portable, found.digest)
"""


@pytest.mark.slow
def test_other_code_of_the_same_text_is_the_same():
    """In another version of Python code differs and texts do not. So in one that drops docstrings."""
    found = []
    for options in ([], ["-OO"]):
        command = [sys.executable, *options, "-c", SCRIPT]
        environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT), "PYTHONHASHSEED": str(len(options))}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.append(done.stdout.split())
    (portable_one, digest_one), (portable_other, digest_other) = found
    assert portable_one == portable_other != "None"
    assert digest_one != digest_other
