"""The command `stream`: its output, its files and its windows."""

from __future__ import annotations

import json
import sys

import pytest
from command_line import *  # noqa: F403
from command_line import SMALL, TRIANGLE_AND_TAIL, interrupt_at, run

import frontier as fr
from algorithms.comparators import Verdict
from dynfrontier import job
from dynfrontier.counting import AnalyticCount
from dynfrontier.text import counted

STRUCTURES = [name for name, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)]


@pytest.mark.slow
@pytest.mark.parametrize("name", STRUCTURES[::2])
def test_stream_on_structures(name, tmp_path):
    results = tmp_path / "results.json"
    output = run(*SMALL, "--structure", name, "--json", results)
    assert "verified" in output and f"structure {name} on the CPU" in output
    found = json.loads(results.read_text())
    assert found["verified"] is True and found["setting"]["structure"] == name
    totals, steps = found["totals"], found["steps"]
    assert totals["batches"] == len(steps) == 16 and totals["records"] == 2048
    assert totals["records"] == totals["inserted"] + totals["duplicates"] + totals["loops"]
    assert totals["edges"] == totals["inserted"] - totals["deleted"] == steps[-1]["edges"]
    assert totals["deleted"] > 0  # the generated stream has a window
    assert all(step["update_seconds"] > 0 and step["count_seconds"] > 0 for step in steps)
    assert set(found["seconds"]) == {"update", "count", "both"}


@pytest.mark.slow
def test_stream_without_an_analytic(monkeypatch, tmp_path):
    results, page, picture = tmp_path / "results.json", tmp_path / "page.html", tmp_path / "plot.png"
    output = run(*SMALL, "--analytic", "none", "--json", results, "--report", page, "--plot", picture)
    found = json.loads(results.read_text())
    assert found["setting"]["counted"] is None and found["verified"]
    assert f"{found['totals']['edges']:,} edges, verified: the stream leaves as many" in output
    assert "the stream, in records" in output and "count" not in output.split("Time")[1]
    assert "Edges of the last" in page.read_text() and "Time to count" not in page.read_text()
    assert picture.stat().st_size
    assert all(step["count_seconds"] == 0 and step["count"] == step["edges"] for step in found["steps"])
    check = job.StreamJob.check
    monkeypatch.setattr(job.StreamJob, "check", lambda self, time: (check(self, time)[0] + 1, *check(self, time)[1:]))
    assert "not verified" in run(*SMALL, "--analytic", "none", code=1)


def test_stream_of_a_file(graph_file, tmp_path):
    output = run("stream", graph_file, "--batch-size", 2, "--device", "cpu")
    assert "6 records in 3 batches" in output and "1 triangle, verified" in output
    assert "duplicates, self-loops 1, 1" in output


@pytest.mark.slow
def test_stream_with_a_window_forgets(graph_file):
    assert "0 triangles, verified" in run("stream", graph_file, "-b", 2, "--window", 1, "--device", "cpu")


def test_stream_of_insertions_and_deletions(tmp_path):
    path = tmp_path / "changes.txt"
    path.write_text("+ 1 2\n+ 2 3\n+ 1 3\n+ 3 4\n+ 2 4\n- 3 1\n- 1 9\n+ 9 8\n")
    assert "1 triangle, verified" in run("stream", path, "--device", "cpu")
    assert "--window has no meaning" in run("stream", path, "--window", 2, "--device", "cpu", code=2)


DYNAMIC = "1 2 1 10\n2 3 1 20\n3 1 1 30\n2 1 1 35\n3 4 1 40\n4 2 1 45\n3 4 -1 50\n1 2 -1 60\n"
"""Two triangles, 1 2 3 and 2 3 4, of which a deletion ends the second. 1 2 goes, too, but where directions count 2 1
stays."""


@pytest.mark.slow
@pytest.mark.parametrize("kind, edges, triangles", [("sym", 3, 0), ("asym", 4, 1)])
def test_dynamic_konect_networks_delete(kind, edges, triangles, tmp_path):
    path = tmp_path / "out.dynamic"
    path.write_text(f"% {kind} dynamic\n{DYNAMIC}")
    noun = "triangle" if triangles == 1 else "triangles"
    assert f"{triangles} {noun}, verified" in run("stream", path, "-b", 3, "--device", "cpu")
    output = run("info", path)
    assert f"edges, undirected and simple {edges}" in output and "deletions 2" in output and "weights no" in output
    output = run("triangles", path, "--device", "cpu")
    assert f"{triangles} {noun}, verified" in output and f"{edges} edges, 4 vertices" in output
    assert f"over {edges} " in run("bfs", path, "--source", 4, "--device", "cpu", "-s", "csr")


def test_stream_of_an_empty_file(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("# nothing\n")
    assert "0 triangles, verified" in run("stream", path, "--device", "cpu")


def test_quiet_prints_the_count_alone():
    output = run(*SMALL, "--quiet", "--no-check")
    assert output.endswith("triangles, not checked") and len(output.split()) == 4


@pytest.mark.parametrize("spoiled", ["edges", "library", "recount"])
def test_a_wrong_result_is_an_error(monkeypatch, spoiled, tmp_path):
    check, recount = job.StreamJob.check, AnalyticCount.recount
    wrong = Verdict(False, "3 values differ")
    if spoiled == "recount":
        monkeypatch.setattr(AnalyticCount, "recount", lambda self: (wrong, recount(self)[1]))
    else:

        def spoil(self, time):
            edges, verdict, said = check(self, time)
            return (edges + 1, verdict, said) if spoiled == "edges" else (edges, wrong, said)

        monkeypatch.setattr(job.StreamJob, "check", spoil)
    results = tmp_path / "results.json"
    output = run(*SMALL, "--json", results, code=1)
    assert "not verified" in output and ("the stream leaves" in output or "3 values differ" in output)
    assert json.loads(results.read_text())["verified"] is False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "noun"), [
        ("connected_components", "component"), ("k_truss", "truss edge"), ("core_number", "core"),
        ("coloring", "color"), ("louvain", "community"), ("label_propagation", "community"),
    ],
)  # fmt: skip
def test_stream_of_another_analytic(name, noun, graph_file, tmp_path):
    """Checked against a library that has it, where one is installed."""
    pytest.importorskip("networkx")
    results = tmp_path / "results.json"
    output = run("stream", graph_file, "-b", 2, "-d", "cpu", "-s", "csr", "--analytic", name, "--json", results)
    found = json.loads(results.read_text())
    assert f"{counted(found['totals']['count'], noun)}, verified: " in output and found["setting"]["analytic"] == name
    counts = {"connected_components": [2, 1, 1], "k_truss": [0, 0, 0], "core_number": [1, 2, 2]}
    counts["coloring"] = [2, 3, 3]
    found = [step["count"] for step in found["steps"]]
    assert found == counts[name] if name in counts else len(found) == 3


def test_analytics_that_have_no_count(graph_file):
    start = ("stream", graph_file, "-d", "cpu", "--analytic")
    for name in ("pagerank", "truss_numbers"):
        assert "cannot be counted after every batch; choose from connected_components, triangle_count, k_truss" in run(
            *start, name, code=2
        )
    assert "there is no 'nosuch'" in run(*start, "nosuch", code=2)


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    run(*SMALL, "--plot", tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_plot_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install matplotlib" in run(*SMALL, "--plot", tmp_path / "plot.png", code=2)


def test_report(tmp_path):
    """A page of a file with a hostile name. tests/dynfrontier/test_stream_views.py checks the page's contents."""
    pytest.importorskip("matplotlib")
    path, page = tmp_path / "<b>&'$x.txt", tmp_path / "report.html"
    path.write_text(TRIANGLE_AND_TAIL)
    output = run("stream", path, "-b", 2, "-d", "cpu", "--report", page)
    assert "1 triangle, verified" in output
    text = page.read_text()
    assert "&lt;b&gt;&amp;&#x27;$x.txt" in text and "<b>&" not in text and text.count("<svg") == 6
    assert "1 triangle, verified: " in text


def test_report_without_matplotlib(monkeypatch, graph_file, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    output = run("stream", graph_file, "--report", tmp_path / "report.html", code=2)
    assert "--report needs matplotlib: pip install matplotlib (or dynfrontier[plot])" in output


def test_report_is_a_page(graph_file, tmp_path):
    pytest.importorskip("matplotlib")
    start = ("stream", graph_file, "--report")
    assert "name it report.html" in run(*start, tmp_path / "report.pdf", code=2)
    assert "No such file or directory" in run(*start, tmp_path / "none" / "report.html", code=2)
    page = tmp_path / "page.html"
    assert "--report and --json both name" in run(*start, page, "--json", page, code=2)
    assert list(tmp_path.iterdir()) == [graph_file]


def test_live(graph_file, monkeypatch):
    start = ("stream", graph_file, "-b", 2, "-d", "cpu", "--live")
    assert "count time" not in run(*start)  # output is no terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    output = run(*start)
    assert "count time" in output and "3/3 batches" in output and "Stream and graph" in output
    assert "count time" not in run(*start, "--quiet")


def test_interrupted_stream(monkeypatch, tmp_path):
    monkeypatch.setattr(job.StreamJob, "warm_up", lambda main: None)  # which has its own batches
    interrupt_at(monkeypatch, fr.SlidingWindow, "push", 5)
    results = tmp_path / "results.json"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    page = tmp_path / "report.html"
    output = run(*SMALL, "--live", "--json", results, "--plot", tmp_path / "plot.png", "--report", page, code=130)
    assert "interrupted after 4 batches of 16" in output and "Stream and graph" in output
    found = json.loads(results.read_text())
    assert found["interrupted"] is True and found["verified"] is None and len(found["steps"]) == 4
    assert (tmp_path / "plot.png").exists()
    assert "interrupted after 4 batches of 16" in page.read_text() and page.read_text().count("<svg") == 6
    assert output.rindex("\x1b[?25h") > output.rindex("\x1b[?25l")  # the cursor is back


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["slab", "gpma"])
def test_a_window_of_time(dates_file, structure, tmp_path):
    start = "stream", dates_file, "-d", "cpu", "-s", structure, "-b", 1, "--window"
    output = run(*start, "10min", "--json", tmp_path / "out.json", "--live")
    assert "window of 10min" in output and "0 triangles, verified" in output and "edges now 1" in output
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["setting"]["window"] == "10min" and [step["edges"] for step in found["steps"]] == [1, 2, 3, 1]
    assert [step["count"] for step in found["steps"]] == [0, 0, 1, 0]
    assert "1 triangle, verified" in run(*start, "1h") and "0 triangles, verified" in run(*start, "2")
    everything = run("stream", dates_file, "-d", "cpu", "-s", structure, "--window", "12 min", "--report",
                     tmp_path / "r.html")  # fmt: skip
    assert "0 triangles, verified" in everything and "window of 12 min" in (tmp_path / "r.html").read_text()


def test_windows_that_make_no_sense(dates_file, graph_file):
    start = "stream", dates_file, "-d", "cpu", "--window"
    assert "--window is '10foo', which names no length of time" in run(*start, "10foo", code=2)
    assert "--window must not be negative" in run(*start, "-3", code=2)
    assert "0 keeps all edges" in run(*start, "0s", code=2)
    assert "graph.txt has no times; give a number of batches" in run("stream", graph_file, "--window", "1h", code=2)


def test_the_unit_of_times(tmp_path):
    path = tmp_path / "unix.txt"
    for factor, unit in ((1, "seconds"), (10**3, "milliseconds"), (10**6, "microseconds"), (10**9, "nanoseconds")):
        times = [factor * time for time in (1577872800, 1577873100, 1577873280)]
        path.write_text(f"1 2 {times[0]}\n2 3 {times[1]}\n1 3 {times[2]}\n")
        said = f"times {times[0]} to {times[2]} (2020-01-01T10:00:00 to 2020-01-01T10:08:00, in {unit} since 1970)"
        assert said in run("info", path)
        output = run("stream", path, "-b", 1, "--window", "6min", "-d", "cpu", "-s", "slab")
        assert f"the times are taken for {unit}" in output and "0 triangles, verified" in output
