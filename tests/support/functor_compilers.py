"""Tests of functors for GPUs run with every compiler of functors that is installed.

A test module that imports all names from here runs its tests with the chosen one, as for users, or, with ``--long``,
with each. Tests of differences between compilers are in tests/functor/test_functor_compilers.py, which tries all.
"""

import pytest

from frontier.functor.cuda import CHOICE, chosen_compiler, installed_compilers

__all__ = ["compiler", "pytest_generate_tests"]

if not installed_compilers():
    pytest.skip("no compiler of functors for GPUs is installed", allow_module_level=True)


def pytest_generate_tests(metafunc):
    if metafunc.config.getoption("--long"):
        metafunc.parametrize("compiler", installed_compilers(), indirect=True)


@pytest.fixture(autouse=True)
def compiler(request, monkeypatch):
    """The compiler's name."""
    name = getattr(request, "param", None)
    if name is not None:
        monkeypatch.setenv(CHOICE, name)
    return chosen_compiler()
