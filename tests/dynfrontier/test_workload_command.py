"""The command ``dynfrontier workload``, and the advice about structures in the documentation."""

from __future__ import annotations

import sys

import pytest
from command_line import run
from workloads import FIRST, NAMES, report_of, row_of, spoil, write_changes

from benchmarks import choosing
from benchmarks.results import Results
from dynfrontier.workload import WorkloadReport, recommend

SMALL_RUN = ("workload", "--generate", "hubs", "--scale", 7, "--edge-factor", 8, "--batch", 64, "--batches", 3,
             "--device", "cpu")  # fmt: skip


def test_command(tmp_path):
    json = tmp_path / "report.json"
    output = run(*SMALL_RUN, "--mix", "70/20/10", "--analytic", "connected_components", "--oldest", "--json", json)
    assert "hubs, scale 7, seed 1: 1,024 records" in output and "20% deletions (oldest)" in output
    for part in ("insertions/s", "connected_components, P50", "With batches of 64 on the CPU", *NAMES):
        assert part in output, part
    report = WorkloadReport.read_json(json)
    assert [name for name in NAMES if name in report.structures] == NAMES
    shown = run("workload", "--read", json, "--objective", "memory", "--markdown")
    assert "bytes an edge" in shown and "| batches of 64 |" in shown
    assert run("workload", "--read", json, "--quiet") in NAMES
    assert "leave out the stream" in run("workload", "--read", json, "--generate", "rmat", code=2)
    refused = run("workload", "--read", json, "-s", FIRST, "-b", 64, "--mix", "1/99/0", "--device", "cpu", code=2)
    assert "leave out --batch, --mix, --structure, --device" in refused


def test_command_looks_first_where_it_will_write(tmp_path, monkeypatch):
    monkeypatch.setattr("dynfrontier.commands.workload._run", lambda *args: pytest.fail("it has run"))
    assert "No such file or directory" in run(*SMALL_RUN, "--json", tmp_path / "none" / "x.json", code=2)
    assert "Is a directory" in run(*SMALL_RUN, "--json", tmp_path, code=2)
    pytest.importorskip("matplotlib")
    assert "no picture can be drawn as 'xyz'; choose from" in run(*SMALL_RUN, "--plot", tmp_path / "a.xyz", code=2)
    assert "No such file" in run(*SMALL_RUN, "--plot", tmp_path / "none" / "a.png", code=2)
    assert "there is no 'colors'" in run(*SMALL_RUN, "--analytic", "colors", "--json", tmp_path / "x.json", code=2)
    assert not list(tmp_path.iterdir())


def test_command_on_a_file(tmp_path):
    path = tmp_path / "changes.txt"
    write_changes(path)
    output = run("workload", path, "-b", 30, "-b", 60, "--device", "cpu", "-s", FIRST, "--seconds", 1)
    assert "changes.txt: 400 records" in output and "batches of 30 and 60" in output.lower()
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.png"
    run(*SMALL_RUN, "-b", 32, "-a", "bfs", "-s", FIRST, "--plot", plot)
    assert plot.read_bytes().startswith(b"\x89PNG")
    run(*SMALL_RUN, "-s", FIRST, "--plot", plot)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--mix", "70/20"), "three percentages"),
        (("--mix", "70/20/20"), "with a sum of 100"),
        (("--mix", "a/b/c"), "three percentages"),
        (("--analytic", "colors"), "there is no 'colors'"),
        (("--structure", "tree"), "there is no 'tree'"),
        (("--objective", "speed"), "--objective must be time, latency, memory"),
        (("--generate", "tree"), "there is no generator 'tree'"),
        (("--device", "tpu"), "must be 'auto', 'cpu' or 'gpu'"),
        (("missing.txt",), "leave out one of them"),
    ],
)
def test_command_names_what_is_wrong(options, message):
    assert message in run(*SMALL_RUN, *options, code=2)


def test_command_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install matplotlib" in run(*SMALL_RUN, "--plot", tmp_path / "x.png", code=2)


def test_command_with_a_structure_that_disagrees(monkeypatch):
    spoil(monkeypatch, "has_edges", lambda right, g, s, d: right(g, s, d)[::-1])
    assert "queries of batch 1 are answered wrong" in run(*SMALL_RUN, "--mix", "50/0/50", code=1)


def test_command_help():
    assert "Usage" in run("workload", "--help")


# ---- the page's advice ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_advice_is_made_from_results(tmp_path, monkeypatch):
    monkeypatch.setattr(choosing, "CASES", choosing.CASES[3:4])
    assert choosing.main(["--device", "cpu", "--mode", "smoke", "--structures", ",".join(NAMES[:2]),
                          "--out", str(tmp_path)]) == 0  # fmt: skip
    (results,) = tmp_path.glob("choosing-cpu-*.json")
    text = choosing.advice(results)
    assert choosing.CASES[0].title in text and f"`{FIRST}`, " in text
    (report,) = choosing.reports_of(Results.load(results)).values()
    assert str(report).count(NAMES[1]) and recommend(report).structure in NAMES
    assert f"`{results.name}`" in text


def test_advice_names_all_that_are_as_good(monkeypatch, tmp_path):
    a, b, c = row_of("a", [1.0] * 200, 1), row_of("b", [1.01] * 200, 2), row_of("c", [1.0] * 198 + [1.5, 6.0], 3)
    reports = {"title": report_of(a, b, c), "other": report_of(a, row_of("d", [7.0] * 150, 4))}
    results = Results(choosing.NAME, "cpu", "smoke", header={"machine": {"gpu": "G"}, "date": "2026-01-01"})
    monkeypatch.setattr(choosing, "reports_of", lambda results: reports)
    text = choosing.advice(results.save(tmp_path))
    assert "| title (64) | `a`, 1 s | tied: `b`, 1.01 s; `c`, 1.03 s | `c`, 1.03 s | `a`, 1 s |" in text
    assert "150 to 200 batches" in text and "| other (64) | `a`, 1 s | `d`, 7 s |" in text
    reports["title"] = report_of(c)
    assert "`c`, 1.5 s; max 6 s" in choosing.advice(results.save(tmp_path))


def test_advice_has_a_graph_that_grows():
    assert any(case.options.get("preload") == 0 and not case.large for case in choosing.CASES)
