"""Damaged and hostile files: all are refused, or contain usable graphs."""

import json
import os
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import fuzz_files
import numpy as np
import pytest
from fuzz_files import campaign, files
from graph_files import pack, sign, unpack

from frontier import Graph
from structures import CSR

TRIES, TRIES_LONG = 40, 4000
REFUSED = r"graph\.npz is no valid graph file: "


@pytest.fixture
def path(structure, tmp_path):
    """A file of a small graph."""
    weights = np.arange(1, 6, dtype="float32")
    structure.from_edges([0, 0, 0, 1, 2], [1, 2, 3, 2, 3], weights, num_vertices=6, device="cpu").save(
        tmp_path / "graph.npz"
    )
    return tmp_path / "graph.npz"


@pytest.fixture
def csr_path(tmp_path):
    CSR.from_edges([0, 0, 0, 1, 2], [1, 2, 3, 2, 3], num_vertices=6, device="cpu").save(tmp_path / "graph.npz")
    return tmp_path / "graph.npz"


def refused(path, problem=""):
    with pytest.raises(ValueError, match=REFUSED + problem):
        Graph.load(path, device="cpu")


def test_a_file_cut_anywhere(csr_path):
    whole = csr_path.read_bytes()
    for size in [*range(0, len(whole), 23), len(whole) - 1]:
        csr_path.write_bytes(whole[:size])
        refused(csr_path)
    csr_path.write_bytes(whole + b"\0")
    refused(csr_path)


def test_a_bit_flipped_anywhere(csr_path):
    whole = csr_path.read_bytes()
    for place in range(len(whole)):
        broken = bytearray(whole)
        broken[place] ^= 1 << place % 8
        csr_path.write_bytes(broken)
        refused(csr_path)


def test_damage_of_the_archive_with_the_right_checksum(csr_path):
    """The rest of the file is a graph, or is refused."""
    whole = csr_path.read_bytes()
    for place in range(0, len(whole) - 100, 3):
        for value in (0, 0xFF, whole[place] ^ 1):
            broken = bytearray(whole)
            broken[place] = value
            csr_path.write_bytes(broken)
            sign(csr_path)
            try:
                fuzz_files.check_graph(Graph.load(csr_path, device="cpu"))
            except ValueError as error:
                assert "graph.npz" in str(error)


HEADERS = {
    "format": [1, 2, 4, None, "3"],
    "structure": ["nobody's", None, 3, ["csr"]],
    "directed": [0, None, "yes"],
    "weight_dtype": ["int8", "object", 3, ["f4"], "float16"],
    "vertex_dtype": ["int16", "float32", None, "uint32"],
    "num_vertices": [10**18, 2**31 - 1, 10**30, -1, 3, 9, 6.0, True, None, "6"],
    "num_arcs": [10**18, 10**30, -1, 9, 11, 10.0, None],
    "scalars": [None, [], {"more": 1}, 3],
}


@pytest.mark.parametrize("field", HEADERS)
def test_headers(path, field):
    header, arrays = unpack(path)
    for value in HEADERS[field]:
        pack(path, header | {field: value}, arrays)
        refused(path)
    del header[field]
    pack(path, header, arrays)
    refused(path)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_headers_that_tell_of_in_edges(tmp_path, directed):
    path = tmp_path / "graph.npz"
    CSR.from_edges([0, 1], [1, 2], directed=directed, device="cpu").save(path)
    header, arrays = unpack(path)
    for value in (False, 1, None, "yes", *([] if directed else [True])):
        pack(path, header | {"in_edges": value}, arrays)
        refused(path, "in_edges is")


def test_files_of_earlier_versions(path):
    """The error names the reason, and the remedy."""
    header, arrays = unpack(path)
    pack(path, header | {"format": 2}, arrays)
    refused(path, "its format is 2, of an earlier version of dynfrontier.* Build the graph again")


def test_scalars(path):
    header, arrays = unpack(path)
    for name in header["scalars"]:
        for value in (None, "", [], {}, -1, 1e308, -(10**30), 10**30, [0, 0], "nobody's"):
            pack(path, header | {"scalars": header["scalars"] | {name: value}}, arrays)
            refused(path)
        for number in ("NaN", "Infinity", "-Infinity", "1e999", "1" * 5000):
            text = json.dumps(header | {"scalars": header["scalars"] | {name: 7331}}).replace("7331", number)
            pack(path, text, arrays)
            refused(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", "{}", "[" * 100_000, '"\\ud800"', '{"format": 3}'])
def test_texts_of_headers(csr_path, text):
    pack(csr_path, text, unpack(csr_path)[1])
    refused(csr_path)


def test_arrays_of_other_types(path):
    header, arrays = unpack(path)
    for name, array in arrays.items():
        with np.errstate(all="ignore"):
            halves = array.astype("float16")
        others = [
            array.astype(array.dtype.newbyteorder()), array.astype("O"), halves, array[None],
            array.reshape(-1)[:0].reshape(0, 1, 1), np.asfortranarray(np.stack([array, array], 1)), np.array(3),
        ]  # fmt: skip
        for other in others:
            if other.dtype.str != array.dtype.str or other.shape != array.shape:
                pack(path, header, arrays | {name: other})
                refused(path)
        pack(path, header, {other: array for other, array in arrays.items() if other != name})
        refused(path)
        pack(path, header, {**arrays, "more": array})
        refused(path)


def test_arrays_of_other_sizes(path):
    header, arrays = unpack(path)
    for name, array in arrays.items():
        for other in (array[:-1], array[:0], np.concatenate([array, array])):
            if len(other) == len(array) or (name == "queue" and header["structure"] == "faimgraph"):
                continue  # which may be longer than the file's contents
            pack(path, header, arrays | {name: other})
            if name == "records" and len(other) >= header["num_vertices"]:
                continue  # records of future vertices
            refused(path)


def test_deleted_vertices(path):
    header, arrays = unpack(path)
    for absent in (np.ones(6, bool), np.zeros(5, bool), np.full(6, 2, np.uint8).view(bool), np.zeros(6, np.int8)):
        pack(path, header, arrays | {"absent": absent})
        refused(path)
    pack(path, header, arrays | {"absent": np.arange(6) == 5})
    assert not Graph.load(path, device="cpu").has_vertices([5])[0]


def test_graphs_that_are_not_simple(tmp_path):
    """Common properties of all structures, shown on the simplest."""
    path = tmp_path / "graph.npz"
    CSR.from_edges([0, 1], [1, 2], np.ones(2), num_vertices=3, device="cpu").save(path)
    header, arrays = unpack(path)
    offsets, indices = arrays["offsets"], arrays["neighbors"]
    assert indices.tolist() == [1, 0, 2, 1]
    broken = {
        "a neighbor is no vertex": {"neighbors": [1, 0, 3, 1]},
        "a vertex is its own neighbor": {"neighbors": [1, 1, 2, 1]},
        "the neighbors of a vertex do not ascend": {"neighbors": [1, 2, 2, 1]},
        "an edge has one direction only": {"neighbors": [2, 0, 2, 1]},
        "offsets descend": {"offsets": [0, 3, 2, 4]},
        "offsets do not begin": {"offsets": [0, 1, 3, 5]},
        "a weight is NaN": {"weights": [1, np.nan, 1, 1]},
        "an edge has two weights": {"weights": [1, 1, 1, 2]},
        "num_arcs is": {},
    }
    for problem, changes in broken.items():
        new = {name: np.asarray(value, arrays[name].dtype) for name, value in changes.items()}
        pack(path, header if changes else header | {"num_arcs": 6}, arrays | new)
        refused(path, problem)
    assert offsets.tolist() == [0, 1, 3, 4]


def test_bombs(path):
    """Archives that would need far more memory than disk space."""
    header, arrays = unpack(path)
    pack(path, header, arrays, compression=zipfile.ZIP_DEFLATED)
    refused(path, "the entry .* is compressed")
    name = next(iter(arrays))
    zeros = {**arrays, name: np.zeros(1 << 24, arrays[name].dtype)}
    pack(path, header, zeros, compression=zipfile.ZIP_DEFLATED)
    tracemalloc.start()
    try:
        refused(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


def test_huge_numbers_take_no_memory(path):
    header, arrays = unpack(path)
    tracemalloc.start()
    try:
        for changes in ({"num_vertices": 2**31 - 2}, {"num_vertices": 10**18, "vertex_dtype": "int64"}):
            pack(path, header | changes, arrays)
            refused(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


def test_two_entries_of_one_name(csr_path):
    header, _ = unpack(csr_path)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(csr_path, "a") as archive:
        archive.writestr("header.json", json.dumps(header))
    sign(csr_path)
    refused(csr_path, "it has two entries of one name")


def test_what_is_no_path_and_no_device(csr_path):
    with pytest.raises(ValueError, match=r"^device must be"):
        Graph.load(csr_path, device="tpu")
    with pytest.raises(TypeError, match=r"path must be a str or an os\.PathLike, not list"):
        Graph.load([])


def test_equal_graphs_make_equal_files(path, structure):
    other = path.with_name("other")
    Graph.load(path, device="cpu").save(other)
    assert other.read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_changed_files(structure, device, tmp_path, tries):
    """In a separate process, if they are many: it survives a crash."""
    count = tries(TRIES, TRIES_LONG)
    if count == TRIES:
        outcomes = campaign(structure, device, 5, count, tmp_path)
        assert outcomes["refused"]
        assert outcomes["loaded"]
        return
    command = [sys.executable, fuzz_files.__file__, structure.name, device, "6", str(count), tmp_path]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_of_the_campaign_are_good(structure, device, tmp_path):
    for path in files(structure, device, tmp_path):
        fuzz_files.use(Graph.load(path, device=device), np.random.default_rng(1))
