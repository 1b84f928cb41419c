"""The command line: its output, its files, and its error messages."""

from __future__ import annotations

import importlib
import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest
from command_line import run

import frontier as fr
from algorithms import analytics
from algorithms.catalogue import GALLERY
from algorithms.comparators import Distances, Verdict
from dynfrontier import check, job, supported
from dynfrontier.comparison import load_graph
from dynfrontier.counting import AnalyticCount
from dynfrontier.text import counted, duration, scaled, size
from dynfrontier.workload.analytics import choose_analytic
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

STRUCTURES = [name for name, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)]
SMALL = ("stream", "--scale", "7", "--batch-size", "128", "--device", "cpu")
TRIANGLE_AND_TAIL = "10 20\n20 30\n30 10\n30 40\n40 40\n20 10\n"


@pytest.fixture
def graph_file(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(TRIANGLE_AND_TAIL)
    return path


# ---- stream ---------------------------------------------------------------------------------------------------------


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


# ---- errors ---------------------------------------------------------------------------------------------------------


def test_errors_name_what_is_wrong(tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("1 2\n3 x\n")
    assert "line 2" in run("stream", bad, "--device", "cpu", code=2)
    assert "No such file" in run("info", tmp_path / "missing.txt", code=2)
    assert "choose one of" in run("stream", "--structure", "tree", "--device", "cpu", code=2)
    assert "must be 'auto', 'cpu' or 'gpu'" in run("stream", "--device", "tpu", code=2)
    assert "unknown suffix" in run("generate", "grid", tmp_path / "x.doc", code=2)
    run("stream", "--batch-size", 0, code=2)


@pytest.mark.skipif(fr.gpu_available(), reason="there is a GPU")
def test_no_gpu():
    assert "CuPy is not installed or sees no GPU" in run("stream", "--device", "gpu", code=2)


READING = [
    ("info",), ("bfs", "--device", "cpu"), ("run", "connected_components", "--device", "cpu"),
    ("triangles", "--device", "cpu"), ("stream", "--device", "cpu"),
]  # fmt: skip


@pytest.fixture
def names_file(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text('from;to;amount;note\nann;bob;2;x\nbob;"eve; jr";3;y\n')
    return path


@pytest.mark.parametrize("dates, said", [
    (("2020-01-31", "2020-02-01"), "2020-01-31 to 2020-02-01"),
    (("2020-01-31 10:00", "2020-01-31T10:00:30.5Z"), "2020-01-31T10:00:00.000 to 2020-01-31T10:00:30.500"),
    (("1960-05-01", "1970-01-01"), "1960-05-01 to 1970-01-01"),
])  # fmt: skip
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_dates_are_shown_as_dates(dates, said, suffix, tmp_path):
    path = tmp_path / f"dates.{suffix}"
    if suffix == "csv":
        path.write_text("src,dst,day\n" + "".join(f"{i},{i + 1},{date}\n" for i, date in enumerate(dates)))
    else:
        pandas, stamps = pytest.importorskip("pandas"), [np.datetime64(date.strip("Z")) for date in dates]
        pandas.DataFrame({"src": [0, 1], "dst": [1, 2], "day": np.array(stamps, "M8[ns]")}).to_parquet(path)
    assert f"times {said} degree" in run("info", path, "--columns", "time=day")


@pytest.mark.parametrize("command", READING)
def test_reading_a_table(command, names_file):
    table = (*command, names_file, "--delimiter", "semicolon")
    output = run(*table)
    assert "ignored the column 'note'; choose with --columns" in output and "weight=note" not in output
    assert "note:" not in run(*table, "--columns", "src=from,dst=to,weight=amount")
    assert "note:" not in run(*command, "-", "--delimiter", ";", "--names", "--no-header", stdin=b"ann;bob\nbob;eve\n")
    assert "is --delimiter ';' meant?" in run(*command, names_file, code=2)
    assert "there is no column 'sum'" in run(*table, "--columns", "weight=sum", code=2)
    assert "not both" in run(*table, "--columns", "weight=sum,src", code=2)
    unclear = run(*command, "-", stdin=b"ann,bob\nbob,eve\n", code=2)
    assert "standard input, line 1" in unclear and "Say --header or --no-header" in unclear


JODIE = "user_id,item_id,timestamp,state_label,comma_separated_list_of_features\n" + "".join(
    f"{i % 3},{i + 3},{i * 10.5},0{',0.5' * 172}\n" for i in range(9)
)
"""Like the files of JODIE (Wikipedia, Reddit, MOOC), in which one name stands for all features."""


@pytest.mark.parametrize("command", READING)
def test_rows_wider_than_the_names(command, tmp_path):
    path = tmp_path / "wikipedia.csv"
    path.write_text(JODIE)
    assert "stray word" not in run(*command, path, "--columns", "src=user_id,dst=item_id,time=timestamp")
    assert "which columns are the ends" in run(*command, path, code=2)


@pytest.mark.parametrize("row", ["18446744073709551610 3", "-1 3", "12e4 3", "3 ann"])
@pytest.mark.parametrize("command", READING)
def test_ids_of_other_kinds_need_names(command, row, tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(f"1 2\n2 3\n{row}\n")
    output = run(*command, path, code=2)
    assert "line 3" in output and "(--names reads ids that are words or any numbers)" in output
    assert "error" not in run(*command, path, "--names")


@pytest.mark.parametrize("command", READING)
def test_decisions_about_a_file_are_notes(command, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("alpha,beta\n1,2\n3,02\n")
    out = run(*command, path)
    assert out.count("note: ") == 2
    assert "took line 1 for the names of the columns, alpha, beta; say --header or --no-header" in out
    assert "ids such as '02' are read as integers, so '2' is the same vertex; --names keeps ids as they are" in out
    assert "note: " not in run(*command, path, "--header", "--names")
    path.write_text("#cats,eve\nann,bob\n")
    unclear = run(*command, path, "--no-header", code=2)
    assert "line 1: is this line a comment, or a row of names? Say --comments '#' or --comments ''" in unclear
    run(*command, path, "--no-header", "--comments", "")


@pytest.mark.slow
def test_standard_input_that_ends_within_a_line():
    command = [sys.executable, "-m", "dynfrontier", "info", "-"]
    for sent, code in [(b"0 1\n3 4\n", 0), (b"0 1\n3 4", 2)]:
        found = subprocess.run(command, input=sent, capture_output=True)
        assert found.returncode == code, found.stderr
    assert b"standard input, line 2: the pipe ended within a line" in b" ".join(found.stderr.split())


@pytest.mark.parametrize("command", READING)
def test_files_that_cannot_be_read(command, tmp_path):
    empty, binary = tmp_path / "empty.gz", tmp_path / "b.csv"
    empty.write_bytes(b"")
    binary.write_bytes(bytes(range(256)))
    for path, reason in [(tmp_path, "Is a directory"), (empty, "truncated"), (binary, "b.csv"), ("", "directory"),
                         (tmp_path / "none", "No such file")]:  # fmt: skip
        assert reason in run(*command, path, code=2)


def test_outputs_are_checked_before_anything_runs(graph_file, tmp_path, monkeypatch):
    monkeypatch.setattr(fr.io, "read_edges", None)
    monkeypatch.setattr(fr.io, "read_stream", None)
    options = [("stream", "--json"), ("stream", "--plot"), ("bfs", "--output"), ("compare", "--json")]
    for command, option in options:
        start = (command, graph_file, "--device", "cpu", option)
        assert "No such file or directory" in run(*start, tmp_path / "none" / "x.png", code=2)
        assert "Is a directory" in run(*start, tmp_path, code=2)
        assert "Not a directory" in run(*start, graph_file / "x.png", code=2)
        if option != "--plot":
            assert "is the input, too" in run(*start, graph_file, code=2)
    assert "no picture can be drawn as 'xyz'" in run("stream", "--plot", tmp_path / "a.xyz", code=2)
    same = ("--plot", tmp_path / "a.png", "--json", tmp_path / "a.png")
    assert "--json and --plot both name" in run("stream", *same, code=2)
    assert "No such file or directory" in run("generate", "grid", tmp_path / "none" / "x.txt", code=2)
    assert sorted(tmp_path.iterdir()) == [graph_file]


def interrupt_at(monkeypatch, target, name, number):
    """Let a function raise KeyboardInterrupt when it is called for the nth time."""
    original, calls = getattr(target, name), []

    def call(*args, **kwargs):
        calls.append(None)
        if len(calls) == number:
            raise KeyboardInterrupt
        return original(*args, **kwargs)

    monkeypatch.setattr(target, name, call)


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


def test_interrupted_comparison(monkeypatch, graph_file, tmp_path):
    pytest.importorskip("networkx")
    module = importlib.import_module("dynfrontier.comparison.compare")
    interrupt_at(monkeypatch, module, "_answer", 2)
    results = tmp_path / "results.json"
    command = ("compare", graph_file, "-d", "cpu", "--against", "networkx", "-a", "bfs", "-a", "triangle_count")
    assert "interrupted after 1 of the algorithms" in run(*command, "--repeat", 1, "--json", results, code=130)
    found = json.loads(results.read_text())
    assert found["interrupted"] is True and [row["algorithm"] for row in found["rows"]] == ["bfs"]


def test_interrupted_workload(monkeypatch, graph_file, tmp_path):
    from dynfrontier.workload import runner

    interrupt_at(monkeypatch, runner, "_measure", 2)
    results = tmp_path / "results.json"
    command = ("workload", graph_file, "-d", "cpu", "-b", 2, "--preload", 0, "-s", "csr", "-s", "slab")
    output = run(*command, "--json", results, code=130)
    assert "interrupted" in output and "batches of 2" in output
    found = json.loads(results.read_text())
    assert found["interrupted"] is True and [row["structure"] for row in found["rows"]] == ["csr"]
    assert "csr" in run("workload", "--read", results)


def test_interrupted_reading(monkeypatch, graph_file):
    interrupt_at(monkeypatch, fr.io, "read_edges", 1)
    assert "error: interrupted" in run("bfs", graph_file, "--device", "cpu", code=130)


def test_names_of_vertices(tmp_path):
    path, table = tmp_path / "names.csv", tmp_path / "out.csv"
    path.write_text('from,to\nann,bob\nbob,"eve, jr"\n[red],ann\n')
    start = ("bfs", path, "--device", "cpu")
    assert "From vertex bob: 4 of 4" in run(*start, "--source", "bob", "--output", table)
    assert table.read_text().splitlines() == [
        "vertex,distance,predecessor", "[red],2,ann", "ann,1,bob", "bob,0,", '"eve, jr",1,bob',
    ]  # fmt: skip
    assert "vertex zed is not in" in run(*start, "--source", "zed", code=2)
    assert "From vertex [red]" in run(*start, "--source", "[red]")


def test_bfs_of_a_table_with_names(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(
        pa.table({"src": ["ann", "bob"], "dst": ["bob", "eve"]}), tmp_path / "names.parquet"
    )
    run("bfs", tmp_path / "names.parquet", "--device", "cpu", "--output", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "vertex,distance,predecessor\nann,1,bob\nbob,0,\neve,1,bob\n"


@pytest.mark.parametrize(("name", "base", "said"), [
    ("MemoryError", MemoryError, "out of memory: no room"),
    ("OutOfMemoryError", Exception, "out of GPU memory: no room"),
])  # fmt: skip
def test_exhausted_memory_is_one_line(graph_file, monkeypatch, name, base, said):
    def read(*args, **kwargs):
        raise type(name, (base,), {})("no room")

    monkeypatch.setattr(fr.io, "read_stream", read)
    assert said in run("info", graph_file, code=1)


def test_a_file_that_cannot_be_finished_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "g.txt"
    path.write_text("precious")
    monkeypatch.setattr("frontier.io.writer._ROWS", 1)
    interrupt_at(monkeypatch, sys.modules["frontier.io.writer"], "_columns", 3)  # the first call is for the header
    run("generate", "grid", path, code=130)
    assert path.read_text() == "precious" and list(tmp_path.iterdir()) == [path]


def test_analytics_have_one_set_of_names(graph_file):
    pytest.importorskip("networkx")
    options = ("--device", "cpu", "--against", "networkx", "--repeat", 1)
    for name in ("triangle_count", "connected_components"):
        assert "yes," in run("compare", graph_file, "-a", name, *options)
        run("workload", graph_file, "-d", "cpu", "-b", 2, "--preload", 0, "-s", "csr", "-a", name)
        assert choose_analytic(f"dynamic_{name}").name == f"dynamic_{name}"
    assert "there is no 'nosuch'" in run("compare", graph_file, "-a", "nosuch", code=2)


# ---- further commands -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options", "records"),
    [
        ("rmat", ("--scale", 5), 512),
        ("uniform", ("--vertices", 30, "--edges", 70), 70),
        ("grid", ("--rows", 3, "--cols", 4), 17),
        ("road", ("--vertices", 50), None),
    ],
)
def test_generate(kind, options, records, tmp_path):
    run("generate", kind, tmp_path / "graph.txt.gz", *options)
    edges = fr.io.read_edges(tmp_path / "graph.txt.gz")
    assert len(edges) == records if records else edges.num_vertices == 50


def test_info(graph_file):
    output = run("info", graph_file, "--components")
    for text in ("vertices 4", "records 6", "self-loops 1", "simple 4", "components 1", "largest 4", "1 / 2 / 2 / 3"):
        assert text in output, text


def test_bfs(graph_file, tmp_path):
    output = run("bfs", graph_file, "--source", 10, "--device", "cpu", "--output", tmp_path / "out.csv")
    assert "4 of 4 vertices reached" in output
    rows = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1, dtype=int)
    assert rows.tolist() == [[10, 0, -1], [20, 1, 10], [30, 1, 10], [40, 2, 30]]
    assert "From vertex 30" in run("bfs", graph_file, "--device", "cpu")  # which has the most neighbors
    assert "1 of 4" in run("bfs", graph_file, "--source", 40, "--directed", "--device", "cpu")
    assert "vertex 11 is not in" in run("bfs", graph_file, "--source", 11, "--device", "cpu", code=2)


ANALYTICS = [
    pytest.param(name, marks=pytest.mark.slow) if name in GALLERY else name
    for name, known in analytics().items() if known.static
]  # fmt: skip


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", ANALYTICS)
def test_run(name, graph_file, tmp_path):
    """Every analytic, with the ids of the file in its output."""
    known = analytics()[name]
    output = run("run", name, graph_file, "-d", "cpu", "-s", "slab", "--output", tmp_path / "out.csv")
    assert f"{name}(" in output and "of 4 vertices and 4 undirected edges" in output
    header, *rows = [line.split(",") for line in (tmp_path / "out.csv").read_text().splitlines()]
    if known.per == "vertex":
        assert header[0] == "vertex" and [row[0] for row in rows] == ["10", "20", "30", "40"]
    else:
        assert header[:2] == ["src", "dst"] and {end for row in rows for end in row[:2]} <= {"10", "20", "30", "40"}


@pytest.mark.slow
def test_run_from_several_sources(graph_file, tmp_path):
    options = "-d", "cpu", "-s", "csr", "--output", tmp_path / "out.csv"
    output = run("run", "bfs", graph_file, "--sources", "40, 10", *options)
    assert "bfs(sources=[40, 10])" in output and "8 rows" in output
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "source,vertex,distance,predecessor" and len(lines) == 9
    assert lines[1:5] == ["40,10,2,30", "40,20,2,30", "40,30,1,40", "40,40,0,"]
    output = run("run", "closeness_centrality", graph_file, "--sources", 10, *options)
    assert "closeness_centrality(" in output and "sources=[10]" in output
    start = ("run", "bfs", graph_file, "--sources")
    assert "cannot both be given" in run(*start, "10", "--source", "20", code=2)
    assert "vertex 11 is not in" in run(*start, "10,11", "-d", "cpu", code=2)
    assert "--sources x: the ids" in run(*start, "10,x", "-d", "cpu", code=2)
    assert "does not start from several" in run("run", "connected_components", graph_file, "--sources", "10", code=2)


COUNTED_FROM_1 = {
    "out.konect": "% sym unweighted\n1 2\n2 3\n3 1\n3 6\n",
    "g.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 4\n2 1\n3 2\n3 1\n6 3\n",
    "g.noheader.mtx": "1 2\n2 3\n3 1\n3 6\n",
    "g.jlg": "6,4,u,graph\n1,2\n2,3\n3,1\n3,6\n",
}
"""A triangle of the vertices 1, 2 and 3, and the vertex 6 beside 3."""


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTED_FROM_1)
def test_vertices_are_called_as_in_the_file(name, tmp_path):
    path, out = tmp_path / name, tmp_path / "out.csv"
    path.write_text(COUNTED_FROM_1[name])
    options = "-d", "cpu", "-s", "csr"
    assert "From vertex 6:" in run("bfs", path, "--source", 6, *options, "--output", out)
    assert out.read_text().splitlines()[1:] == ["1,2,3", "2,2,3", "3,1,6", "6,0,-1"]
    assert "ids go from 1 to 6" in run("bfs", path, "--source", 4, *options, code=2)
    assert "From vertex 3:" in run("bfs", path, *options)
    output = run("triangles", path, *options)
    assert all(f"vertex {v}: 1 triangle" in output for v in (1, 2, 3)) and "vertex 0" not in output
    assert "bfs(source=6)" in run("run", "bfs", path, "--source", 6, *options)
    run("run", "k_truss", path, "-p", "k=3", *options, "--output", out)
    assert sorted(out.read_text().splitlines()[1:]) == ["1,2", "1,3", "2,3"]
    assert "ids go from 1 to 6" in run("compare", path, "--source", 4, "--device", "cpu", code=2)


@pytest.fixture
def dates_file(tmp_path):
    path = tmp_path / "dates.csv"
    path.write_text("when,from,to\n2020-01-01T10:00:00,1,2\n2020-01-01T10:05:00,2,3\n2020-01-01T10:08:00,1,3\n"
                    "2020-01-01T10:30:00,3,4\n")  # fmt: skip
    return path


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["time,src,dst", "time=when,src=a,dst=b"])
@pytest.mark.parametrize("unit", [1, 0.25])
def test_run_on_times(columns, unit, tmp_path):
    path = tmp_path / "events.csv"
    header = "when,a,b\n" if "=" in columns else ""
    path.write_text(header + "".join(f"{unit * t},{e}\n" for t, e in ((10, "1,2"), (20, "2,3"), (30, "3,1"))))
    start = "run", "temporal_triangle_count", path, "--columns", columns, "-d", "cpu", "-s", "slab"
    assert "total: 1" in run(*start, "-p", "delta=20s") and "total: 0" in run(*start, "-p", "delta=4s")
    out = tmp_path / "out.csv"
    start = "run", "earliest_arrival", path, "--columns", columns, "-d", "cpu", "-s", "slab", "--source", 1
    run(*start, "--output", out)
    rows = [line.split(",") for line in out.read_text().splitlines()[1:]]
    assert [row[0] for row in rows] == ["1", "2", "3"] and rows[0][1:] == ["", ""]
    assert [row[1] for row in rows[1:]] == [str(unit * 10), str(unit * 20)]


@pytest.mark.slow
def test_run_on_dates(dates_file, graph_file, tmp_path):
    start = "run", "earliest_arrival", dates_file, "-d", "cpu", "-s", "slab", "--source", 1, "--output"
    run(*start, tmp_path / "out.csv", "-p", "start=2020-01-01T10:00:00")
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == [
        "1,2020-01-01T10:00:00,", "2,2020-01-01T10:00:00,1", "3,2020-01-01T10:05:00,2", "4,2020-01-01T10:30:00,3",
    ]  # fmt: skip
    start = "run", "temporal_triangle_count", dates_file, "-d", "cpu", "-s", "slab", "-p"
    assert "total: 1" in run(*start, "delta=8min") and "total: 0" in run(*start, "delta=7min")
    edges = fr.io.read_edges(dates_file, columns={"time": "when"}, compact=True)
    assert load_graph(edges, "slab", "cpu", times=True).multi_edges == "all"  # repeated events then count
    assert "needs times, and" in run("run", "temporal_triangle_count", graph_file, "-d", "cpu", code=2)
    assert "temporal_random_walks" in run("run")


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


def test_parameters_that_list_vertices_take_ids_of_the_file(graph_file, tmp_path):
    options = "-d", "cpu", "-s", "csr", "--output", tmp_path / "out.csv"
    output = run("run", "jaccard", graph_file, "-p", "src=[10]", "-p", "dst=[20]", *options)
    assert "src=[10], dst=[20]" in output
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith("10,20,0.33")
    assert "starts=[40]" in run("run", "random_walks", graph_file, "-p", "starts=[40]", "-p", "length=1", *options)
    assert (tmp_path / "out.csv").read_text() == "vertex,steps,ends\n40,1,30\n"
    assert "vertex 3 is not in" in run("run", "random_walks", graph_file, "-p", "starts=[3]", "-d", "cpu", code=2)


def test_run_names_what_is_wrong(graph_file, tmp_path):
    start = ("run", "connected_components", graph_file)
    assert "there is no 'nosuch'; choose from" in run("run", "nosuch", graph_file, code=2)
    assert "give the file of a graph" in run("run", "connected_components", code=2)
    assert "connected_components does not start from a vertex" in run(*start, "--source", 10, code=2)
    assert "--parameter must be such as k=5, not 'k'" in run(*start, "-p", "k", code=2)
    message = "--parameter k: connected_components has no such parameter; its parameters: none"
    assert message in run(*start, "-p", "k=3", code=2)
    assert "k must be at least 2" in run("run", "k_truss", graph_file, "-p", "k=1", "-d", "cpu", "-s", "csr", code=2)
    assert "vertex 11 is not in" in run("run", "bfs", graph_file, "--source", 11, "-d", "cpu", code=2)
    assert "undirected graphs" in run("run", "triangle_count", graph_file, "--directed", "-d", "cpu", code=2)
    assert "No such file" in run(*start, "--output", tmp_path / "none" / "x.csv", code=2)
    assert "is the input, too" in run(*start, "--output", graph_file, code=2)


def test_triangles(graph_file, monkeypatch):
    output = run("triangles", graph_file, "--device", "cpu")
    assert "1 triangle, verified" in output and "vertex 30: 1 triangle, 3 neighbors" in output
    monkeypatch.setattr(check, "count_triangles", lambda *args: 7)
    assert "not verified" in run("triangles", graph_file, "--device", "cpu", code=1)


@pytest.mark.slow
def test_compare(graph_file, monkeypatch, tmp_path):
    pytest.importorskip("networkx")
    options = ("compare", graph_file, "--device", "cpu", "--against", "networkx", "--repeat", 1, "--source", 40)
    output = run(*options, "--k", 3, "--json", tmp_path / "found.json")
    assert "yes," in output and "NO," not in output and "medians of one call" in output
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["agrees"] is True and "k_truss(3)" in [row["algorithm"] for row in found["rows"]]
    assert all(row["agrees"] is True or "not offered" in row["agreement"] for row in found["rows"])
    assert "undirected graphs" in run(*options, "--directed", "--algorithm", "triangle_count")
    assert "there is no peer 'nosuch'" in run("compare", graph_file, "--device", "cpu", "--against", "nosuch", code=2)
    assert "vertex 11 is not in" in run("compare", graph_file, "--device", "cpu", "--source", 11, code=2)
    monkeypatch.setattr(Distances, "compare", lambda *args, **options: Verdict(False, "1 differs"))
    assert "results differ: bfs" in run(*options, "--algorithm", "bfs", code=1)


@pytest.mark.slow
def test_compare_on_all_structures(graph_file, tmp_path):
    pytest.importorskip("networkx")
    names = ("-a", "core_number", "-a", "closeness_centrality", "-a", "sssp")
    options = ("compare", "--all", graph_file, "-d", "cpu", "--against", "networkx", "--repeat", 1, *names)
    output = run(*options, "--structure", "csr", "--json", tmp_path / "found.json")
    assert "2/2" in output and "not offered" in output
    cells = json.loads((tmp_path / "found.json").read_text())["cells"]
    assert {(cell["algorithm"], cell["state"]) for cell in cells if cell["result"] == "agrees"} == {
        (name, state) for name in ("core_number", "sssp") for state in ("built", "grown")
    }
    assert "only --all takes several" in run("compare", graph_file, graph_file, "-d", "cpu", code=2)
    assert "--k cannot be given with --all" in run(*options, "--k", 3, code=2)
    assert "there is no peer 'nosuch'" in run("compare", "--all", graph_file, "--against", "nosuch", code=2)


def test_structures_are_all_there():
    output = run("structures", "--markdown")
    for name in (*fr.structures(), *supported.all_algorithms()):
        assert f"`{name}`" in output
    assert "GPU" in run("structures")


def test_structures_into_a_file(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("before\n<!-- structures -->\nold\n<!-- /structures -->\nafter\n")
    assert "up to date" in run("structures", "--write", path)
    text = path.read_text()
    assert "old" not in text and text.startswith("before\n") and text.endswith("\nafter\n") and "`csr`" in text
    assert "unchanged" in run("structures", "--write", path)
    path.write_text("no markers")
    assert "needs the markers" in run("structures", "--write", path, code=2)


@pytest.mark.parametrize(
    "command", [(), *((name,) for name in ("stream", "triangles", "bfs", "run", "compare", "info", "structures"))]
)
def test_help(command):
    assert "Usage" in run(*command, "--help")


def test_version():
    assert run("--version").startswith("dynfrontier")


def test_as_a_module():
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT)}
    command = [sys.executable, "-m", "dynfrontier", "--help"]
    assert "Usage: dynfrontier" in subprocess.run(
        command, capture_output=True, text=True, env=environment, check=True
    ).stdout  # fmt: skip


# ---- text and scripts -----------------------------------------------------------------------------------------------


def test_numbers_as_text():
    assert [counted(n, "batch") for n in (0, 1, 2000)] == ["0 batches", "1 batch", "2,000 batches"]
    assert [scaled(x) for x in (0, 12.34, 1234, 5.6e6, 7e9)] == ["0", "12.3", "1.23 k", "5.6 M", "7 G"]
    assert [duration(x) for x in (90, 1.5, 0.0123, 4.5e-6)] == ["1.5 min", "1.5 s", "12.3 ms", "4.5 µs"]
    assert [size(x) for x in (12, 2048, 3 << 20, 5 << 30)] == ["12 B", "2.0 KiB", "3.0 MiB", "5.0 GiB"]


@pytest.mark.parametrize("script", ["demo", "test"])
def test_scripts_are_good_shell(script):
    path = PROJECT_ROOT / script
    assert path.stat().st_mode & stat.S_IXUSR
    for file in (path, PROJECT_ROOT / "scripts" / "environment"):
        subprocess.run(["sh", "-n", str(file)], check=True)


@pytest.mark.slow
def test_demo_with_an_interpreter_of_ones_own(tmp_path, graph_file):
    environment = {**os.environ, "DYNFRONTIER_PYTHON": sys.executable}
    command = [str(PROJECT_ROOT / "demo"), graph_file.name, "--quiet", "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True)
    assert done.stdout.strip().startswith("1 triangle, verified")


@pytest.mark.parametrize(
    ("version", "extra"),
    [("CUDA Version: 12.4", "cuda12"), ("CUDA UMD Version: 13.2", "cuda13"), ("CUDA Version: 11.8", ""), ("", "")],
)
def test_extra_that_suits_the_driver(version, extra, tmp_path):
    fake = tmp_path / "nvidia-smi"
    fake.write_text(f"#!/bin/sh\necho '| NVIDIA-SMI 580.1  Driver Version: 580.1  {version}  |'\n")
    fake.chmod(0o755)
    script = f". '{PROJECT_ROOT}/scripts/environment'; gpu_extra"
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == extra
