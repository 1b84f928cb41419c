"""Machine code that comes with the package is found by what it was made of, and nothing else."""

import numpy as np
import pytest

from frontier.runtime import cuda, shipped
from structures import ship

HEADER, DEFINES = "frontier/sort/kernels.cuh", (("VID", "int"),)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "shipped")
    shipped._members.cache_clear()
    yield tmp_path / "shipped"
    shipped._members.cache_clear()


def test_what_was_written_is_found(folder):
    assert shipped.shipped_cubin(HEADER, DEFINES, "sm_90") is None
    shipped.write_archive("sm_80", [(HEADER, DEFINES, b"code of 80")])
    assert shipped.shipped_cubin(HEADER, DEFINES, "sm_80") == b"code of 80"
    assert shipped.shipped_cubin(HEADER, DEFINES, "sm_86") == b"code of 80"
    for header, defines, arch in (
        (HEADER, DEFINES, "sm_90"),
        (HEADER, (("VID", "i64"),), "sm_80"),
        ("frontier/batch/kernels.cuh", DEFINES, "sm_80"),
    ):  # fmt: skip
        assert shipped.shipped_cubin(header, defines, arch) is None


def test_code_of_edited_sources_is_not(folder, monkeypatch):
    shipped.write_archive("sm_90", [(HEADER, DEFINES, b"code")])
    monkeypatch.setattr(shipped, "source_fingerprint", lambda suffix: "another")
    assert shipped.shipped_cubin(HEADER, DEFINES, "sm_90") is None


def test_a_broken_archive_is_as_none(folder):
    folder.mkdir()
    (folder / "sm_90.zip").write_bytes(b"no archive")
    assert shipped.shipped_cubin(HEADER, DEFINES, "sm_90") is None


def test_compatible():
    assert shipped.compatible("sm_89") == [f"sm_8{minor}" for minor in range(9, -1, -1)]
    assert shipped.compatible("sm_120") == ["sm_120"]
    assert shipped.compatible("sm_90a") == ["sm_90a"]


def test_it_is_used_before_a_compiler(folder, monkeypatch):
    monkeypatch.setattr(cuda, "toolchain_version", None)
    shipped.write_archive("sm_90", [(HEADER, DEFINES, b"code")])
    assert cuda.cached_cubin(HEADER, DEFINES, (), "sm_90") == b"code"


def test_kernels_of_graphs_are_shipped():
    """Those of a graph of the usual types, under the names by which it looks for them."""
    from frontier.batch import batch_kernels
    from structures import SlabGraph

    graph = SlabGraph(9, device="cpu", weight_dtype="float32")
    found = set(ship.sources(["slab"]))
    assert graph._kernels.source in found
    assert batch_kernels(graph.device, np.dtype(np.int64), graph.vertex_dtype, graph.weight_dtype).source in found


def test_command(folder, capsys, monkeypatch):
    pytest.importorskip("cuda.core")
    monkeypatch.setattr(ship, "compile_cubin", lambda header, defines, functors, arch: f"{header} {arch}".encode())
    assert ship.main(["sm_90", "--structures", "csr,slab"]) == 0
    assert "sm_90.zip" in capsys.readouterr().out
    (source,) = (job for job in ship.sources(["slab"]) if "sort" in job[0])
    assert shipped.shipped_cubin(*source, "sm_90") == b"frontier/sort/kernels.cuh sm_90"
