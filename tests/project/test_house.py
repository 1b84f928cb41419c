"""The layout of the code gets no worse: see tests/house.py."""

from __future__ import annotations

import house
import pytest


@pytest.mark.slow
@pytest.mark.parametrize("measure", house.MEASURES, ids=lambda measure: measure.__name__)
def test_no_measure_rises(measure):
    rows, limit = list(measure()), house.limits()[measure.__name__]
    assert len(rows) <= limit, f"{measure.__doc__ or ''}\n" + "\n".join(rows)


def test_nothing_that_runs_imports_in_a_circle():
    running = {name: house.imports(name, path, types=False) for name, path in house.modules().items()}
    assert house.circles(running) == []


def test_circles_are_found():
    assert house.circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert house.circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_folders_have_layers():
    assert house.folder("frontier.io.text") == "frontier.io"
    assert house.folder("frontier.core.sort.arcs") == "frontier.core"
    assert house.folder("frontier.runtime") == "frontier.runtime" and house.folder("structures.csr") == "structures"
