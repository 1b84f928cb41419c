"""The mutation tool: that it makes the faults it says, and knows tests for every file."""

import ast

from mutation.kernels import kernel_mutants
from mutation.mutants import mutants
from mutation.targets import needs_gpu, targets_of

from frontier.runtime.cache import PROJECT_ROOT

TEXT = '''
LIMIT = 7

def f(a, b=True):
    """1 < 2"""
    if a < b and not a:
        raise ValueError(f"{a + 1}")
    if x.is_gpu:
        return a + 11
    g(a, b)
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
        assert needs_gpu(file) or any((PROJECT_ROOT / "tests" / test).exists() for test in tests), file
