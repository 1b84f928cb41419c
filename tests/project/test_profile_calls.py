"""scripts/profile-calls counts the calls of the project's functions, and times operations."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from benchmarks.results import Results
from frontier.runtime.compile.disk_cache import PROJECT_ROOT


@pytest.fixture(scope="module")
def script():
    """The script as a module, which its dataclasses look up by name."""
    loader = SourceFileLoader("profile_calls", str(PROJECT_ROOT / "scripts" / "profile-calls"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", list(sys.path))
        patch.setattr(sys, "dont_write_bytecode", True)  # it has no suffix, and its cache would lie beside it
        loader.exec_module(module)
    yield module
    del sys.modules[loader.name]


def test_returns_are_calls_into_files_called_before_but_not_last(script):
    def profile(files):
        return script.Profile([script.Call(0, file, "f") for file in files])

    assert (profile("aab").files, profile("aab").returns) == (["a", "b"], 0)
    assert profile("abaab").returns == 2
    assert profile("").returns == 0


def test_calls_of_the_project_are_counted_with_their_nesting(script):
    import frontier as fr

    graph = fr.structures()["csr"](3, device="cpu")
    found = script.profile(lambda: sorted([2, 1], key=lambda v: graph.num_edges))
    assert [call.name for call in found.calls] == ["Graph.num_edges"] * 2
    assert {call.depth for call in found.calls} == {0}
    assert list(found.tree()) == ["Graph.num_edges  frontier/graphs/graph.py  (2 times)"]


@pytest.mark.slow
def test_operations_are_profiled_and_written(script, tmp_path, capsys):
    script.main(["insert", "bfs", "--structure", "csr", "--repeat", "20", "--tree", "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "DynamicGraph.insert_edges" in printed and "algorithms/bfs.py" in printed
    results = Results.load(next(tmp_path.glob("calls-cpu-*.json")))
    assert [row["operation"] for row in results.rows] == ["insert", "bfs"]
    for row in results.rows:
        assert row["calls"] >= row["files"] > 0 and row["returns"] >= 0
        assert 0 < row["p10_us"] <= row["median_us"] <= row["p90_us"]


@pytest.mark.slow
def test_an_insertion_with_an_analytic_calls_more(script, tmp_path):
    script.main(["insert", "triangle_count", "--repeat", "20", "--out", str(tmp_path)])
    alone, attached = Results.load(next(tmp_path.glob("*.json"))).rows
    assert attached["calls"] > alone["calls"] and attached["files"] > alone["files"]


def test_an_insertion_over_parts_counts_the_calls_of_one_worker(script, capsys):
    script.main(["distributed_insert", "--structure", "csr", "--repeat", "20", "--tree"])
    printed = capsys.readouterr().out
    assert printed.count("PartUpdates.insert_edges") == 1 and "Communicator" in printed
    assert "frontier/distributed/graph.py" not in printed


@pytest.mark.parametrize("arguments", [["sort"], ["--repeat", "3"], ["--batch", "0"]])
def test_arguments_are_checked(script, arguments, capsys):
    with pytest.raises(SystemExit):
        script.main(arguments)
    assert "error:" in capsys.readouterr().err
