"""The command line: what it prints, what it writes, and what it says when something is wrong."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import frontier as fr
from dynfrontier import check, job, supported
from dynfrontier.cli import app
from dynfrontier.comparison import checks, questions
from dynfrontier.text import counted, duration, scaled, size
from frontier.runtime.cache import PROJECT_ROOT

STRUCTURES = [name for name, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)]
SMALL = ("stream", "--scale", "7", "--batch-size", "128", "--device", "cpu")
TRIANGLE_AND_TAIL = "10 20\n20 30\n30 10\n30 40\n40 40\n20 10\n"


def run(*args, code=0):
    result = CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture
def graph_file(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(TRIANGLE_AND_TAIL)
    return path


# ---- stream ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STRUCTURES)
def test_stream_on_every_structure(name, tmp_path):
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


def test_stream_of_a_file(graph_file, tmp_path):
    output = run("stream", graph_file, "--batch-size", 2, "--device", "cpu")
    assert "6 records in 3 batches" in output and "1 triangle, verified" in output
    assert "duplicates, self-loops 1, 1" in output


def test_stream_with_a_window_forgets(graph_file):
    assert "0 triangles, verified" in run("stream", graph_file, "-b", 2, "--window", 1, "--device", "cpu")


def test_stream_of_insertions_and_deletions(tmp_path):
    path = tmp_path / "changes.txt"
    path.write_text("+ 1 2\n+ 2 3\n+ 1 3\n+ 3 4\n+ 2 4\n- 3 1\n- 1 9\n+ 9 8\n")
    assert "1 triangle, verified" in run("stream", path, "--device", "cpu")
    assert "--window has no meaning" in run("stream", path, "--window", 2, "--device", "cpu", code=2)


def test_stream_of_an_empty_file(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("# nothing\n")
    assert "0 triangles, verified" in run("stream", path, "--device", "cpu")


def test_quiet_prints_the_count_alone():
    output = run(*SMALL, "--quiet", "--no-check")
    assert output.endswith("triangles, not checked") and len(output.split()) == 4


@pytest.mark.parametrize("spoiled", ["edges", "triangles"])
def test_a_wrong_result_is_an_error(monkeypatch, spoiled, tmp_path):
    right = job.StreamJob.expected
    off = (1, 0) if spoiled == "edges" else (0, 1)
    wrong = lambda self: tuple(a + b for a, b in zip(right(self), off, strict=True))  # noqa: E731
    monkeypatch.setattr(job.StreamJob, "expected", wrong)
    results = tmp_path / "results.json"
    assert "not verified" in run(*SMALL, "--json", results, code=1)
    assert json.loads(results.read_text())["verified"] is False


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    run(*SMALL, "--plot", tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_plot_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install matplotlib" in run(*SMALL, "--plot", tmp_path / "plot.png", code=2)


# ---- what is wrong --------------------------------------------------------------------------------------------------


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


# ---- the other commands ---------------------------------------------------------------------------------------------


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


def test_triangles(graph_file, monkeypatch):
    output = run("triangles", graph_file, "--device", "cpu")
    assert "1 triangle, verified" in output and "vertex 30: 1 triangle, 3 neighbors" in output
    monkeypatch.setattr(check, "count_triangles", lambda *args: 7)
    assert "not verified" in run("triangles", graph_file, "--device", "cpu", code=1)


def test_compare(graph_file, monkeypatch, tmp_path):
    pytest.importorskip("networkx")
    options = ("compare", graph_file, "--device", "cpu", "--against", "networkx", "--repeat", 1, "--source", 40)
    output = run(*options, "--k", 3, "--json", tmp_path / "found.json")
    assert "yes," in output and "NO," not in output and "medians of one call" in output
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["agrees"] is True and [row["algorithm"] for row in found["rows"]][-1] == "k_truss(3)"
    assert all(row["agrees"] is True for row in found["rows"])
    assert "undirected graphs" in run(*options, "--directed", "--algorithm", "triangle_count")
    assert "there is no peer 'nosuch'" in run("compare", graph_file, "--device", "cpu", "--against", "nosuch", code=2)
    assert "vertex 11 is not in" in run("compare", graph_file, "--device", "cpu", "--source", 11, code=2)
    monkeypatch.setattr(questions, "same_values", lambda ours, theirs: checks.Verdict(False, "1 differs"))
    assert "results differ: bfs" in run(*options, "--algorithm", "bfs", code=1)


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
    "command", [(), *((name,) for name in ("stream", "triangles", "bfs", "compare", "info", "structures"))]
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


# ---- the independent count ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("products", [1, 50, 1 << 24])
def test_count_of_the_check(products, monkeypatch):
    networkx = pytest.importorskip("networkx")
    monkeypatch.setattr(check, "BLOCK_PRODUCTS", products)
    edges = fr.io.rmat(6, 8)
    low, high = check.final_edges([edges], edges.num_vertices)
    model = networkx.Graph(zip(low.tolist(), high.tolist(), strict=True))
    assert model.number_of_edges() == low.size and (low < high).all()
    assert check.count_triangles(low, high, edges.num_vertices) == sum(networkx.triangles(model).values()) // 3
    assert check.count_triangles(low[:0], high[:0], 0) == 0


def test_final_edges_go_by_the_last_record():
    stream = [
        fr.io.EdgeList([0, 1, 2], [1, 2, 2], num_vertices=4),
        fr.io.EdgeList([1, 2], [0, 3], num_vertices=4, operation="delete"),
        fr.io.EdgeList([3], [2], num_vertices=4),
    ]
    low, high = check.final_edges(stream, 4)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(1, 2), (2, 3)]


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
