"""The command line: its output and its files. `stream` is in test_cli_stream.py."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest
from command_line import *  # noqa: F403
from command_line import run

import frontier as fr
from algorithms import analytics
from algorithms.catalogue import GALLERY
from algorithms.comparators import Distances, Verdict
from dynfrontier import check, supported
from dynfrontier.comparison import load_graph
from dynfrontier.text import counted, duration, scaled, size
from dynfrontier.workload.analytics import choose_analytic
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

# ---- commands -------------------------------------------------------------------------------------------------------


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


def test_analytics_have_one_set_of_names(graph_file):
    pytest.importorskip("networkx")
    options = ("--device", "cpu", "--against", "networkx", "--repeat", 1)
    for name in ("triangle_count", "connected_components"):
        assert "yes," in run("compare", graph_file, "-a", name, *options)
        run("workload", graph_file, "-d", "cpu", "-b", 2, "--preload", 0, "-s", "csr", "-a", name)
        assert choose_analytic(f"dynamic_{name}").name == f"dynamic_{name}"
    assert "there is no 'nosuch'" in run("compare", graph_file, "-a", "nosuch", code=2)


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
