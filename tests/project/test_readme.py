"""The README: its Python block prints what it says, its figures are those of results files, its links are good."""

from __future__ import annotations

import json
import re

import pytest

from frontier.runtime.compile.disk_cache import PROJECT_ROOT

README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
TEXT = re.sub(r"^```.*?^```", "", README, flags=re.DOTALL | re.MULTILINE)
PRINTED = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)
RESULTS = PROJECT_ROOT / "benchmarks" / "results"
LONGEST = 120
"""Lines of a page for visitors; what is longer belongs to the documentation."""


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_block(block, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the block writes a file
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    expected = [line for printed in PRINTED.findall(block) for line in printed.split(", then ")]
    assert capsys.readouterr().out.splitlines() == expected


def test_it_is_for_visitors():
    assert len(BLOCKS) == 1 and len(README.splitlines()) <= LONGEST


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)\)", TEXT))))
def test_links(target):
    assert (PROJECT_ROOT / target).exists()


def test_first_lines_are_there():
    commands = re.findall(r"^(\./\w+)", README, re.MULTILINE)
    assert commands[:2] == ["./demo", "./test"]
    for command in commands:
        assert (PROJECT_ROOT / command).exists()


def row(file, **values):
    """The only row of a results file with these values."""
    rows = json.loads((RESULTS / f"{file}.json").read_text())["rows"]
    (found,) = [row for row in rows if values.items() <= row.items()]
    return found


def figures():
    """Figures of the table, as they are written, from results files."""
    batch = {"graph": "rmat22", "distribution": "rmat", "operation": "insert"}
    dynamic = "dynamic-gpu-2026-11-21"
    yield f"{row(dynamic, system='slab', **batch)['mean_ms']:.1f} ms, `slab`"
    yield f"{row(dynamic, system='cugraph', **batch)['mean_ms']:.0f} ms, rebuilt"
    changed = row("incremental-gpu-2026-11-21", graph="rmat22", structure="slab", analytic="sssp")
    yield f"{changed['incremental_ms']:.1f} ms; {changed['anew_ms']:.1f} ms"
    insert = {"graph": "rmat20", "distribution": "uniform", "variant": "unweighted", "operation": "insert"}
    rate = row("updates-gpu-2026-11-21", structure="slab", batch=2**20, **insert)["m_edges_per_s"]
    yield f"{rate:,.0f} M arcs/s"


@pytest.mark.parametrize("figure", list(figures()))
def test_figures_are_those_of_results_files(figure):
    assert README.count("<!-- figures -->") == README.count("<!-- /figures -->") == 1
    assert figure in README.partition("<!-- figures -->")[2].partition("<!-- /figures -->")[0]
