"""The command line: its error messages, its notes about files, and interrupts."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import numpy as np
import pytest
from command_line import *  # noqa: F403
from command_line import interrupt_at, run

import frontier as fr


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
