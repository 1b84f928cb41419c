"""Shipped machine code is found by its inputs, and by nothing else."""

import functools
import logging
import os
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest

import frontier as fr
from algorithms import _union_find, analytics, dynamic_connected_components, repertoire
from dynfrontier.prebuilt import build
from dynfrontier.prebuilt.rehearsal import Rehearsal, RehearsingDevice
from frontier.core.structures import structures
from frontier.functor import compile as compilation
from frontier.operators.dispatch import kernels as engine
from frontier.operators.dispatch.gpu_balance import TILE_SIZES
from frontier.operators.dispatch.signatures import ARC, TRUTH, VERTEX
from frontier.runtime import gpu_available
from frontier.runtime.compile import cuda, prebuilt
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from frontier.runtime.compile.prebuilt import Entry, code_name, shipped_cubin, write_archive
from frontier.runtime.compile.requests import requests
from frontier.runtime.memory import elementwise

HEADER, DEFINES = "frontier/core/sort/kernels.cuh", (("VID", "int"),)
ELF = b"\x7fELF"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the archives."""
    monkeypatch.setenv(prebuilt.CHOICE, str(tmp_path))
    prebuilt.clear_caches()
    yield tmp_path
    prebuilt.clear_caches()


def entry(header=HEADER, defines=DEFINES, code=b"code", group="plain", functors=()):
    return Entry(code_name(header, defines, functors), group, code)


# ---- archives -------------------------------------------------------------------------------------------------------


def test_what_was_written_is_found(folder):
    assert shipped_cubin(HEADER, DEFINES, "sm_90") is None
    write_archive("sm_80", [entry(code=b"code of 80")], folder)
    assert shipped_cubin(HEADER, DEFINES, "sm_80").code == b"code of 80"
    assert shipped_cubin(HEADER, DEFINES, "sm_86").code == b"code of 80"
    for header, defines, arch in (
        (HEADER, DEFINES, "sm_90"),
        (HEADER, (("VID", "i64"),), "sm_80"),
        ("frontier/core/batch/kernels.cuh", DEFINES, "sm_80"),
    ):  # fmt: skip
        assert shipped_cubin(header, defines, arch) is None


def test_equal_code_is_stored_once(folder):
    names = [(("VID", kind),) for kind in ("int", "i64", "u32")]
    codes, groups = (b"one" * 999, b"one" * 999, b"two" * 999), ("a", "b", "b")
    made = [entry(HEADER, *parts) for parts in zip(names, codes, groups, strict=True)]
    write_archive("sm_90", made, folder)
    assert [shipped_cubin(HEADER, name, "sm_90").code for name in names] == list(codes)
    index = prebuilt._index(folder, "sm_90")
    assert [index[one.name][0] for one in made] == [prebuilt.COMMON, prebuilt.COMMON, "b"]
    assert index[made[0].name] == index[made[1].name]
    first = (folder / "sm_90.zip").read_bytes()
    assert write_archive("sm_90", made[::-1], folder).read_bytes() == first  # the same for the same code


def test_groups_of_what_several_groups_have():
    group = prebuilt.shared_group
    assert group(["slab-none-first"]) == "slab-none-first"
    assert group(["slab-none-first", "slab-none-others"]) == "slab-none"
    assert group(["slab-none-first", "slab-float32-first"]) == group(["slab", "slab-none"]) == "slab"
    assert group(["slab-none-first", "csr-none-first"]) == prebuilt.COMMON


def test_code_of_edited_sources_is_not_found(folder, monkeypatch):
    write_archive("sm_90", [entry()], folder)
    monkeypatch.setattr(prebuilt, "cuda_fingerprint", lambda: "another")
    assert shipped_cubin(HEADER, DEFINES, "sm_90") is None


def spoil(path, how):
    data = bytearray(path.read_bytes())
    if how == "cut":
        data = data[: len(data) // 2]
    elif how == "text":
        data = b"no archive"
    else:
        at = data.index(prebuilt.INDEX.encode() if how == "index" else b"plain") + 20
        data[at] ^= 0xFF
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["text", "cut", "index", "group"])
def test_a_broken_archive_is_as_none(how, folder, caplog):
    code = np.random.default_rng(1).bytes(1000)
    spoil(write_archive("sm_90", [entry(code=code)], folder), how)
    with caplog.at_level(logging.WARNING, "dynfrontier"):
        assert shipped_cubin(HEADER, DEFINES, "sm_90") is None
        assert shipped_cubin(HEADER, DEFINES, "sm_90") is None
    assert len(caplog.records) == 1  # once is enough
    assert "sm_90.zip is not used" in caplog.text


def test_an_archive_with_any_bit_flipped_is_whole_or_none(folder):
    code = np.random.default_rng(1).bytes(200)
    path = write_archive("sm_90", [entry(code=code)], folder)
    whole = path.read_bytes()
    found = []
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        prebuilt.clear_caches()
        answer = shipped_cubin(HEADER, DEFINES, "sm_90")
        assert answer is None or answer.code == code
        found.append(answer)
    assert found.count(None) > 200


def test_an_archive_under_the_name_of_another_architecture_is_as_none(folder, caplog):
    write_archive("sm_80", [entry()], folder).rename(folder / "sm_90.zip")
    prebuilt.clear_caches()
    assert shipped_cubin(HEADER, DEFINES, "sm_90") is None
    assert "sm_90.zip is not used" in caplog.text


def test_an_index_of_another_form_is_as_none(folder, monkeypatch, caplog):
    write_archive("sm_90", [entry()], folder)
    monkeypatch.setattr(prebuilt, "_read", lambda *member: b"name group\n")
    assert shipped_cubin(HEADER, DEFINES, "sm_90") is None
    assert "is not used" in caplog.text


def test_old_drivers_take_no_newer_code(folder, monkeypatch, caplog):
    write_archive("sm_90", [entry()], folder, cuda=13)
    for driver, found in ((0, True), (12, False), (13, True), (14, True)):
        monkeypatch.setattr(prebuilt, "_driver", lambda driver=driver: driver)
        prebuilt.clear_caches()
        assert (shipped_cubin(HEADER, DEFINES, "sm_90") is not None) == found
    assert "drivers of CUDA 13 and newer, and this one is of CUDA 12" in caplog.text


def test_compatible():
    assert prebuilt.compatible("sm_89") == [f"sm_8{minor}" for minor in range(9, -1, -1)]
    assert prebuilt.compatible("sm_120") == ["sm_120"]
    assert prebuilt.compatible("sm_90a") == ["sm_90a"]


def test_it_is_used_before_a_compiler(folder, monkeypatch):
    monkeypatch.setattr(cuda, "toolchain_version", None)
    monkeypatch.setattr(cuda, "current_arch", lambda: "sm_90")
    write_archive("sm_90", [entry()], folder)
    assert cuda.cached_cubin(HEADER, DEFINES, (), "sm_90") == b"code"
    cuda.compile_ahead(HEADER, DEFINES)
    assert (HEADER, DEFINES, (), "sm_90") not in cuda._ahead


# ---- functors -------------------------------------------------------------------------------------------------------


def graph_of(name="slab", **options):
    return structures()[name](8, device="cpu", **options)


def join_of(graph, labels=np.int32):
    """The call that `DynamicConnectedComponents` asks `visit_edges` for."""
    args = np.zeros(8, labels), np.zeros(8, labels), np.zeros(2, np.int64)
    options = (("NO_OUTPUT", "1"), ("NO_LOOKUP", "1"))
    functors = (("op", dynamic_connected_components._join, ARC, None),)
    return graph, "frontier/operators/visit_edges/visit_edges.cuh", functors, args, options


def rename_of(graph):
    """The key of its request for `filter`."""
    ids = np.zeros(8, np.int32)
    args = ids, ids, ids, ids, np.zeros(4, np.int64)
    functors = (("op", dynamic_connected_components._rename, VERTEX, TRUTH),)
    return graph, "frontier/operators/filter/filter.cuh", functors, args


@pytest.fixture
def linked(folder, monkeypatch):
    """An archive of two kernels with functors. Requests for other kernels raise."""
    pytest.importorskip("cuda.core")
    made = []
    for case in (join_of(graph_of()), rename_of(graph_of())):
        graph, header, functors, args, options = (*case, ())[:5]
        defines, found = engine.cuda_request(graph, functors, args, options)
        code = cuda.compile_cubin(header, defines, engine.codes_of(found, "sm_90"), "sm_90")
        made.append(entry(header, defines, code, "slab", found))
    write_archive("sm_90", made, folder)
    monkeypatch.setattr(cuda, "current_arch", lambda: "sm_90")
    monkeypatch.setattr(engine, "_kernels", {})

    def fail(*args, **options):
        raise NotShippedError

    for module, name in ((compilation, "cuda_functor"), (compilation, "functor_compiler"), (cuda, "compile_cubin")):
        monkeypatch.setattr(module, name, fail)


class NotShippedError(Exception):
    """A compiler was called."""


def code_for(case):
    """The code of the kernels that an operator uses."""
    return engine.cuda_kernels_for(*case)._origin[2].code


def misses(case):
    with pytest.raises(NotShippedError):
        engine.cuda_kernels_for(*case)
    return True


def test_functors_are_found_before_a_compiler(linked, monkeypatch):
    one, other = code_for(join_of(graph_of())), code_for(rename_of(graph_of()))
    assert one[:4] == other[:4] == ELF and one != other
    assert code_for(join_of(graph_of(weight_dtype=None))) == one
    # Anything different is compiled: a structure, a weight, ids, an argument, a check of indices, another GPU.
    assert misses(join_of(graph_of("hornet")))
    assert misses(join_of(graph_of(weight_dtype="float32")))
    assert misses(join_of(graph_of(vertex_dtype="int64")))
    assert misses(join_of(graph_of(), np.int64))
    with fr.checking():
        assert misses(join_of(graph_of()))
    monkeypatch.setattr(cuda, "current_arch", lambda: "sm_100")
    monkeypatch.setattr(engine, "_kernels", {})
    assert misses(join_of(graph_of()))


def test_a_functor_of_another_meaning_is_compiled(linked, monkeypatch):
    assert code_for(join_of(graph_of()))
    with monkeypatch.context() as patch:
        patch.setattr(dynamic_connected_components, "JOINED", 1)  # a number that it names
        assert misses(join_of(graph_of()))
    with monkeypatch.context() as patch:
        patch.setattr(dynamic_connected_components, "root_of", lambda link, v: v)  # a function that it calls
        assert misses(join_of(graph_of()))
    assert code_for(join_of(graph_of()))
    with monkeypatch.context() as patch:
        patch.setattr(_union_find, "fr", dynamic_connected_components)  # imported by the function from a module
        assert misses(join_of(graph_of()))
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_kernels", {})
        patch.setattr(compilation, "_own_text", lambda: "another way to compile functors")
        assert misses(join_of(graph_of()))


SCRIPT = """
import sys
import frontier as fr
from frontier.runtime.compile import cuda
sys.path.insert(0, "tests/dynfrontier")
cuda.current_arch = lambda: "sm_90"
from test_shipped import ELF, code_for, rename_of, graph_of, join_of
assert code_for(join_of(graph_of()))[:4] == code_for(rename_of(graph_of()))[:4] == ELF
print(*(name for name in ("numba.cuda", "numba_cuda_mlir", "cuda.core") if name in sys.modules))
"""


@pytest.mark.slow
def test_another_process_imports_no_compiler(linked, folder):
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    command = [sys.executable, "-OO", "-c", SCRIPT]  # without docstrings, as another version of Python has other code
    done = subprocess.run(command, env=environment, cwd=PROJECT_ROOT, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("", "")


# ---- shipped code ---------------------------------------------------------------------------------------------------


def test_kernels_of_graphs_are_shipped():
    """The kernels of a graph of the usual types, under the names by which it looks for them."""
    from frontier.core.batch import batch_kernels
    from frontier.features.mixed import mixed_kernels
    from structures import SlabGraph

    graph = SlabGraph(9, device="cpu", weight_dtype="float32")
    found = set(build.sources("slab", "float32"))
    assert graph.store.kernels.source in found
    assert batch_kernels(graph.device, np.dtype(np.int64), graph.vertex_dtype, graph.weight_dtype).source in found
    assert {mixed_kernels(graph, np.dtype(ids)).source for ids in (np.int32, np.int64)} <= found


def test_analytics_are_rehearsed():
    """Their requests to operators on a GPU are noted on a CPU, and have names."""
    rehearsal = Rehearsal()
    with fr.interpreted(), rehearsal.watching():
        repertoire.perform(structures()["csr"], RehearsingDevice(), ("connected_components", "triangle_count"))
    assert not rehearsal.nameless and not rehearsal.failures
    asked = {(header.split("/")[2], *(f.function.__name__ for f in functors))
             for header, _, functors in rehearsal.requests.values()}  # fmt: skip
    assert asked >= {
        ("visit_edges", "_join"), ("visit_edges", "_cut"), ("visit_edges", "_rename_end"), ("traverse", "_rename_end"),
        ("filter", "_is_detached"), ("filter", "_rename"), ("filter", "_detach"), ("filter", "_form_component"),
        ("filter", "_plant"), ("traverse", "_visit", "_unreached"), ("compute", "_follow"),
        ("traverse", "_attach_to_parent"), ("traverse", "_reattach"),
        ("sample_neighbors", "_link"), ("reduce", "_compress"), ("advance", "_link"),
        ("extract", "_goes_up"), ("orientation",), ("degree_order",), ("degrees",),
    }  # fmt: skip
    both_ways = {functors[0].function.__name__ for _, defines, functors in rehearsal.requests.values()
                 if ("BOTH_WAYS", "1") in defines}  # fmt: skip
    assert both_ways == {"_rename_end", "_reattach", "_attach_to_parent", "_visit"}
    assert sys.getprofile() is None and requests.listener is None
    assert not cuda.load_kernel.cache  # kernels that do nothing are dropped
    # Short or long lists depend on the graph: each kernel exists for both.
    sizes = defaultdict(set)
    for header, defines, functors in rehearsal.requests.values():
        macros = dict(defines)
        if macros.get("TILE_SIZE") in TILE_SIZES:
            size = macros.pop("TILE_SIZE")
            sizes[header, tuple(macros.items()), tuple(functor.name for functor in functors)].add(size)
    assert sizes and all(found == set(TILE_SIZES) for found in sizes.values())


def test_a_loop_that_uses_up_its_members_is_rehearsed():
    """A rehearsal for a GPU must not take them from the loop that follows."""
    rehearsal = Rehearsal()
    graph = structures()["csr"].from_edges([0, 0, 1], [1, 2, 2], [1, 4, 2], weight_dtype="int64", device="cpu")
    graph.device = RehearsingDevice()
    distance = np.array([0, 99, 99])
    with fr.interpreted(), rehearsal.watching():
        queue = fr.PriorityFrontier(graph, distance, delta=2)
        queue.push(fr.Frontier(graph, [0]))
        queue.traverse(_relax, distance)
    assert distance.tolist() == [0, 1, 3] and not rehearsal.failures
    assert ["visit"] in [[f.function.__name__ for f in functors] for _, _, functors in rehearsal.requests.values()]


def _relax(src, dst, edge, weight, distance):
    through = distance[src] + weight
    return through < distance[dst] and fr.atomic_min(distance, dst, through) > through


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_available(), reason="there is no GPU")
@pytest.mark.parametrize("isolated", [1, 8])  # eight times as many vertices: few have an edge at first
@pytest.mark.parametrize("form", build.FORMS)
@pytest.mark.parametrize("options", [{}, {"directed": True, "in_edges": True}], ids=["undirected", "in_edges"])
@pytest.mark.parametrize("name", ["slab", "hornet"])
def test_a_gpu_asks_for_what_is_shipped(name, options, form, isolated, monkeypatch):
    """A stream with the first analytics attached needs no kernel that was not rehearsed."""
    known = rehearsed(name, form)
    missing = []

    def note(header, defines, arch, functors=()):
        if code_name(header, defines, functors) not in known:
            missing.append((header, [functor.function.__name__ for functor in functors], defines))

    monkeypatch.setattr(cuda, "shipped_cubin", note)
    fr.clear_caches()
    edges = fr.io.rmat(scale=14, edge_factor=8, seed=1)
    graph = structures()[name](isolated * edges.num_vertices, device="gpu", **build.FORMS[form], **options)
    weights = None if graph.weight_dtype is None else np.random.default_rng(1).random(edges.num_records)
    attached = [analytics()[analytic] for analytic in repertoire.FIRST if not analytics()[analytic].obstacle(graph)]
    maintained = [analytic.maintain(graph, **analytic.settings(graph)) for analytic in attached]
    for size in (20_000, 100, 100_000):
        part = slice(size, 2 * size)
        src, dst = edges.src[part], edges.dst[part]
        times = {} if graph.time_unit is None else {"time": np.arange(src.size)}
        graph.insert_edges(src, dst, None if weights is None else weights[part], **times)
        for analytic, form in zip(attached, maintained, strict=True):
            analytic.read(form)
        graph.delete_edges(src[::5], dst[::5])
        for analytic, form in zip(attached, maintained, strict=True):
            analytic.read(form)
    assert not missing


@functools.cache
def rehearsed(name, form):
    return build.requests(name, form, "first")


def test_every_first_analytic_is_in_the_catalogue():
    assert set(repertoire.FIRST) < set(repertoire.names())


def test_command(folder, capsys, monkeypatch):
    """It writes an archive for each architecture, compiled here by threads, of nothing."""
    from concurrent.futures import ThreadPoolExecutor

    monkeypatch.setattr(build, "compile_cubin", lambda header, defines, functors, arch: f"{header} {arch}".encode())
    monkeypatch.setattr(build, "ProcessPoolExecutor", lambda processes, context: ThreadPoolExecutor(1))
    assert build.main(["sm_90", "--structures", "csr,slab", "--analytics", "none", "--out", str(folder)]) == 0
    assert "sm_90.zip" in capsys.readouterr().out
    assert shipped_cubin(elementwise.HEADER, (), "sm_90").code  # of which each kind of graph makes use
    (source,) = {job for job in build.sources("slab", "none") if "sort/kernels" in job[0]}
    assert shipped_cubin(*source, "sm_90").code == b"frontier/core/sort/kernels.cuh sm_90"
