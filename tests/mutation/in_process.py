"""A pytest plugin for the tests of one mutant: an order in which most faults show early, and an end to hanging tests.

It is copied into the mutant's project, and tests of another commit run with it, too. Its limits count the time of a
processor: the clock means little on a machine with other work to do.
"""

from __future__ import annotations

import os
import resource
from collections import Counter
from typing import Any

import pytest

TEST_SECONDS = int(os.environ.get("MUTATION_TEST_SECONDS", "90"))
"""For one test, compilation included. A process that needs more is ended by the system, even inside a kernel."""

SECONDS = float(os.environ.get("MUTATION_SECONDS", "inf"))
"""For all tests: later ones are left out."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """One case of each test first, with files in the given order."""
    files = [arg.rpartition("/")[2] for arg in config.args]
    places = {name: place for place, name in enumerate(files)}
    seen: Counter[Any] = Counter()
    keys = {}
    for item in items:
        test = (item.path, getattr(item, "originalname", item.name))
        keys[item] = (seen[test] > 0, places.get(item.path.name, len(places)))
        seen[test] += 1
    items.sort(key=keys.__getitem__)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave a test out when no time is left, and limit all other tests."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    if seconds + children.ru_utime + children.ru_stime > SECONDS:
        return True
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + TEST_SECONDS, hard))
    return None
