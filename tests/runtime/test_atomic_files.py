"""Files that are replaced whole or not at all."""

import os
import resource
import stat
import subprocess
import sys
import time

import numpy as np
import pytest

from frontier import Graph
from frontier.runtime import atomic_file as atomic
from frontier.runtime.atomic_file import atomic_file, write_atomically
from structures import CSR

SAVES_FOR_EVER = """
import sys
import numpy as np
from structures import CSR

graphs = [CSR.from_edges(np.zeros(n, int), np.arange(1, n + 1), device="cpu") for n in (100_000, 200_000)]
graphs[0].save(sys.argv[1])
print("saved", flush=True)
while True:
    for graph in graphs:
        graph.save(sys.argv[1])
"""


@pytest.fixture(params=["unnamed", "named", "no links"])
def way(request, monkeypatch):
    """The ways in which a file can come about."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif request.param == "no links":
        monkeypatch.setattr(os, "link", _refuse)
    return request.param


def _refuse(*args, **options):
    raise PermissionError(1, "not allowed")


def test_a_file_is_replaced(way, tmp_path):
    for contents in (b"first", b"second", b""):
        write_atomically(tmp_path / "file", contents, durable=True)
        assert (tmp_path / "file").read_bytes() == contents
    assert os.listdir(tmp_path) == ["file"]


def test_the_old_file_is_there_until_the_end(way, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with atomic_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("existed", [False, True])
def test_an_error_leaves_what_was_there(way, tmp_path, error, existed):
    path = tmp_path / "file"
    if existed:
        path.write_bytes(b"old")
    with pytest.raises(error), atomic_file(path) as file:
        file.write(b"half of the n")
        raise error
    assert os.listdir(tmp_path) == (["file"] if existed else [])
    assert not existed or path.read_bytes() == b"old"


def test_a_full_disk_leaves_what_was_there(way, tmp_path):
    path = tmp_path / "graph.npz"
    graph = CSR.from_edges(np.zeros(1000, int), np.arange(1, 1001), device="cpu")
    graph.save(path)
    larger = CSR.from_edges(np.zeros(100_000, int), np.arange(1, 100_001), device="cpu")
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, old[1]))
    try:
        with pytest.raises(OSError, match=r"graph\.npz"):
            larger.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert os.listdir(tmp_path) == ["graph.npz"]
    assert Graph.load(path, device="cpu").num_edges == 1000


def test_permissions(way, tmp_path):
    mask = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", b"1")
        assert stat.S_IMODE(os.stat(tmp_path / "file").st_mode) == 0o640
        os.chmod(tmp_path / "file", 0o604)
        write_atomically(tmp_path / "file", b"2")
        assert stat.S_IMODE(os.stat(tmp_path / "file").st_mode) == 0o604
    finally:
        os.umask(mask)


@pytest.mark.parametrize("dangling", [False, True])
def test_links_stay(way, tmp_path, dangling):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/file")
    if not dangling:
        (tmp_path / "folder" / "file").write_bytes(b"old")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_bytes() == b"new"
    assert os.listdir(tmp_path / "folder") == ["file"]


def test_long_names(way, tmp_path):
    name = "n" * 250 + ".npz"
    write_atomically(tmp_path / name, b"1")
    assert os.listdir(tmp_path) == [name]


def test_kinds_of_paths(tmp_path, monkeypatch):
    class Path:
        def __fspath__(self):
            return str(tmp_path / "c")

    monkeypatch.chdir(tmp_path)
    for path in ("a", tmp_path / "b", Path()):
        write_atomically(path, b"1")
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


def test_what_cannot_be_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        write_atomically(tmp_path, b"1")
    with pytest.raises(OSError, match="pipe"):
        write_atomically(tmp_path / "pipe", b"1")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_atomically(tmp_path / "nowhere" / "file", b"1")
    with pytest.raises(TypeError, match=r"path must be a str or an os\.PathLike, not float"):
        write_atomically(1.5, b"1")
    with pytest.raises(TypeError, match=r"path must be a str or an os\.PathLike, not NoneType"):
        CSR(3, device="cpu").save(None)
    assert os.listdir(tmp_path) == ["pipe"]


def test_files_without_names_are_tried_first(tmp_path):
    """On systems with unnamed files: nothing can stay behind then."""
    file, named = atomic._open(str(tmp_path), str(tmp_path / "temporary"))
    file.close()
    assert named == ((tmp_path / "temporary").exists())


@pytest.mark.slow
def test_a_killed_save_leaves_a_whole_file(tmp_path, tries):
    """The old one or the new one."""
    rng = np.random.default_rng(7)
    for _ in range(tries(4, 200)):
        command = [sys.executable, "-c", SAVES_FOR_EVER, tmp_path / "graph.npz"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"saved\n"
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
        assert Graph.load(tmp_path / "graph.npz", device="cpu").num_edges in (100_000, 200_000)
