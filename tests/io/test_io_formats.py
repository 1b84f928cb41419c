import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import numpy as np
import pytest
from archives import tar_of

from frontier.io import ParseError, read_edges, read_stream

MTX = "%%MatrixMarket matrix coordinate {} {}\n% note\n\n4 4 {}\n"


@pytest.fixture
def file(tmp_path):
    def write(content, name):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_matrix_market(file):
    edges = read_edges(file(MTX.format("real", "general", 2) + "1 2 0.5\n4 1 -3e-1\n", "a.mtx"))
    assert edges.src.tolist() == [0, 3] and edges.dst.tolist() == [1, 0] and edges.weights.tolist() == [0.5, -0.3]
    assert edges.num_vertices == 4 and edges.directed is True
    edges = read_edges(file(MTX.format("pattern", "symmetric", 1) + "3 2", "a.mtx"))
    assert edges.weights is None and edges.directed is False and edges.num_vertices == 4
    edges = read_edges(file(MTX.format("integer", "general", 1) + "1 1 2000000000\n", "by_content.txt"))
    assert edges.weights.tolist() == [2e9] and edges.times is None
    assert len(read_edges(file(MTX.format("pattern", "general", 0), "a.mtx"))) == 0
    assert read_edges(file(lzma.compress((MTX.format("pattern", "general", 1) + "1 2\n").encode()), "a.mtx.xz")).dst[0]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("", 1, "only '%%MatrixMarket"),
        ("1 2\n", 1, "only '%%MatrixMarket"),
        ("%%MatrixMarket matrix array real general\n2 2\n", 1, "coordinate"),
        (MTX.format("complex", "general", 1), 1, "'complex'"),
        (MTX.format("real", "skew-symmetric", 1), 1, "'skew-symmetric'"),
        ("%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 2\n", 2, "3 by 4"),
        ("%%MatrixMarket matrix coordinate pattern general\nx\n", 2, "size line"),
        ("%%MatrixMarket matrix coordinate pattern general\n3 x 2\n", 2, "size line"),
        ("%%MatrixMarket matrix coordinate pattern general\n% c\n", None, "before the size line"),
        (MTX.format("pattern", "general", 2) + "1 2\n", 4, "2 entries announced, 1 found"),
        (MTX.format("pattern", "general", 1) + "1 2\n1 3\n", 4, "1 entries announced, 2 found"),
        (MTX.format("pattern", "general", 2) + "1 2\n0 1\n", 6, "counts from 1: '0 1'"),
        (MTX.format("pattern", "general", 2) + "1 2\n5 1\n", 6, "5 is over the announced number of vertices, 4"),
        (MTX.format("real", "general", 1) + "1 2\n", 5, "missing column: the weight"),
        (MTX.format("real", "general", 1) + "1 2 nan\n", 5, "the weight is NaN"),
    ],
)
def test_malformed_matrix_market(file, content, line, reason):
    with pytest.raises(ParseError, match=reason) as caught:
        read_edges(file(content, "bad.mtx"))
    assert caught.value.line == line and "bad.mtx" in str(caught.value)


def test_without_header(file):
    edges = read_edges(file("2 1\n5 3\n", "roads.noheader.mtx"))
    assert edges.src.tolist() == [1, 4] and edges.num_vertices == 5
    with pytest.raises(ParseError, match="line 1: vertex id 0"):
        read_edges(file("0 1\n", "roads.noheader.mtx"))


def test_jlg(file):
    edges = read_edges(file("5,2,u,graph\n1,2\n3,1\n", "a.jlg"))
    assert edges.src.tolist() == [0, 2] and edges.num_vertices == 5 and edges.directed is False
    assert read_edges(file("2,1,d,graph\n1,2", "a.jlg")).directed is True
    for content, line, reason in [
        ("", 1, "expected the header"),
        ("5,2,x,g\n", 1, "expected the header"),
        ("5,3,u,g\n1,2\n", 1, "3 edges announced, 1 found"),
        ("5,2,u,g\n1,2\n6,1\n", 3, "over the announced number"),
        ("5,2,u,g\n1,2\n1,x\n", 3, "stray word 'x'"),
    ]:
        with pytest.raises(ParseError, match=reason) as caught:
            read_edges(file(content, "a.jlg"))
        assert caught.value.line == line


FROM_1 = {
    "out.konect": "% sym unweighted\n2 4\n6 4\n4 2\n",
    "a.mtx": "%%MatrixMarket matrix coordinate pattern general\n6 6 3\n2 4\n6 4\n4 2\n",
    "a.noheader.mtx": "2 4\n6 4\n4 2\n",
    "a.jlg": "6,3,u,graph\n2,4\n6,4\n4,2\n",
}
"""Three rows of the vertices 2, 4 and 6, in formats that count from 1."""


@pytest.mark.parametrize("name", FROM_1)
def test_formats_that_count_from_1_keep_the_ids_of_the_file(file, name):
    path = file(FROM_1[name], name)
    edges = read_edges(path)
    assert edges.src.tolist() == [1, 5, 3] and edges.first_id == 1 and edges.num_vertices == 6
    assert edges.original_ids.tolist() == [1, 2, 3, 4, 5, 6] and edges.to_original(edges.src).tolist() == [2, 6, 4]
    assert edges.vertex_of(6) == 5 and edges[1:].first_id == 1
    for missing in (0, 7, 2**70, "6"):
        with pytest.raises(KeyError):
            edges.vertex_of(missing)
    small = read_edges(path, compact=True)
    assert small.ids.tolist() == [2, 4, 6] == small.original_ids.tolist() and small.src.tolist() == [0, 2, 1]
    assert small.vertex_of(6) == 2 and small.first_id == 0 and small.compact().ids.tolist() == [2, 4, 6]
    stream = read_stream(path, 2)
    assert stream.ids[stream[1].src].tolist() == [4]
    assert read_stream(path, compact=False).first_id == 1


def test_formats_that_name_vertices_themselves_have_ids_of_their_own(file):
    edges = read_edges(file("2 4\n", "plain.txt"))
    assert edges.first_id == 0 and edges.original_ids.tolist() == [0, 1, 2, 3, 4] and edges.vertex_of(4) == 4
    edges = read_edges(file(tar_of(LDBC, "w:xz"), "graphs.tar.xz"), member="tiny")
    assert edges.first_id == 0 and edges.vertex_of(30) == 2
    edges = read_edges(file("src,dst\nann,bob\nbob,cy\n", "people.csv"))
    assert edges.vertex_of("bob") == 1 and edges.to_original(edges.dst).tolist() == ["bob", "cy"]


LDBC = {
    "g/tiny.properties": b"# tiny\ngraph.tiny.vertex-file = tiny.v\ngraph.tiny.edge-file = tiny.e\n"
    b"graph.tiny.meta.vertices = 3\ngraph.tiny.meta.edges = 2\ngraph.tiny.directed = false\n",
    "g/data/tiny.v": b"30\n10\n20",
    "g/data/tiny.e": b"10 30 2000000000\n30 10 3\n",
    "g/data/bare.e": b"7 9\n",
}


@pytest.mark.parametrize("member", ["tiny.e", "tiny", "data/tiny.v", "tiny.properties", "g/data/tiny.e"])
def test_ldbc_in_archive(file, member):
    edges = read_edges(file(tar_of(LDBC, "w:xz"), "graphs.tar.xz"), member=member)
    assert edges.ids.tolist() == [10, 20, 30] and edges.src.tolist() == [0, 2] and edges.directed is False
    assert edges.weights.tolist() == [2e9, 3.0] and edges.num_vertices == 3


def test_ldbc_in_directory(file):
    for name, content in LDBC.items():
        file(content, name.split("/")[-1])
    path = file(LDBC["g/data/tiny.v"], "tiny.v")
    for suffix in (".v", ".e", ".properties"):
        assert read_edges(path.with_suffix(suffix)).num_vertices == 3
    bare = read_edges(path.with_name("bare.e"))
    assert bare.ids.tolist() == [7, 9] and bare.directed is None and bare.weights is None


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("tiny.v", b"10\n20\n20\n", "vertex 20 is listed twice"),
        ("tiny.v", b"10\n20\n", "vertex 30 is an end of an edge but not listed"),
        ("tiny.v", b"10\n\nx\n", "tiny.v, line 3: stray word 'x' where the vertex should be: 'x'"),
        ("tiny.v", b"-10\n", "negative vertex id -10"),
        ("tiny.v", b"10\n20\n30\n40\n", "meta.vertices = 3, the files contain 4"),
        ("tiny.e", b"10 30 1\n30 10\n", "tiny.e, line 2: missing column"),
    ],
)
def test_malformed_ldbc(file, name, content, reason):
    for key, value in LDBC.items():
        file(value, key.split("/")[-1])
    path = file(content, name)
    with pytest.raises(ParseError, match=reason):
        read_edges(path.with_name("tiny.e"))


def test_archives(file):
    mtx = (MTX.format("pattern", "symmetric", 1) + "3 2\n").encode()
    path = file(tar_of({"a/README": b"hello", "a/a.mtx": mtx}), "a.tar.gz")
    assert read_edges(path).dst.tolist() == [1]
    path = file(tar_of({"a/a.mtx": mtx, "b/b.txt": b"0 1\n0 x\n"}), "two.tgz")
    assert read_edges(path, member="a").num_vertices == 4
    for member, reason in [
        (None, "choose one graph.*a/a.mtx, b/b.txt"),
        ("c", "'c' is not in the archive"),
        ("b.txt", r"two.tgz:b/b.txt, line 2: stray word 'x'"),
    ]:
        with pytest.raises(ParseError, match=reason):
            read_edges(path, member=member)
    with pytest.raises(ParseError, match="it contains none"):
        read_edges(file(tar_of({"README": b"x"}), "none.tar.gz"))
    whole = tar_of({"a.mtx": mtx * 100}, "w")
    with pytest.raises(ParseError, match=r"cut.tar: the tar archive is damaged"):
        read_edges(file(whole[:1000], "cut.tar"))


@pytest.mark.parametrize(("field", "dtype"), [("integer", np.int64), ("real", np.float64)])
def test_matrix_market_says_what_weights_are(tmp_path, field, dtype):
    path = tmp_path / "graph.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate {field} general\n3 3 2\n1 2 9007199254740993\n2 3 4\n")
    weights = read_edges(path).weights
    assert weights.dtype == dtype and weights[0] == dtype(9007199254740993)


def link_to(name, target, kind=tarfile.SYMTYPE):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_links_and_paths_out_of_an_archive_lead_nowhere(file, tmp_path, kind):
    secret = file(b"7 8\n", "secret.txt")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(link_to("a.txt", str(secret), kind))
        info = tarfile.TarInfo("../../b.txt")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"1 2\n"))
    before = sorted(tmp_path.iterdir())
    path = file(buffer.getvalue(), "links.tar")
    assert read_edges(path).src.tolist() == [1]
    with pytest.raises(ParseError, match=r"'a.txt' is a link, which is not followed"):
        read_edges(path, member="a.txt")
    assert sorted(tmp_path.iterdir()) == sorted([*before, path])  # nothing was unpacked


def test_an_edge_file_outside_of_the_directory_is_not_read(file, tmp_path):
    file(b"1 2\n", "secret.e")
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "g.properties").write_bytes(b"graph.g.edge-file = ../secret.e\n")
    with pytest.raises(ParseError, match="is not there"):
        read_edges(folder / "g.properties")


def test_zip(file):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("graphs/a.csv", "src,dst\n0,1\n")
        archive.writestr("graphs/b.txt.gz", gzip.compress(b"5 6\n"))
        archive.writestr("__MACOSX/graphs/._a.csv", "junk")
    path = file(buffer.getvalue(), "graphs.zip")
    assert read_edges(path, member="a").dst.tolist() == [1]
    assert read_edges(path, member="graphs/b").dst.tolist() == [6]
    with pytest.raises(ParseError, match=r"it contains graphs/a.csv, graphs/b.txt.gz$"):
        read_edges(path)
    with pytest.raises(ParseError, match=r"cut.zip: the zip archive is damaged"):
        read_edges(file(buffer.getvalue()[:-30], "cut.zip"))


def test_compressed_members_and_ldbc(file):
    members = {name: gzip.compress(content) for name, content in
               {"t.e.gz": b"10 30 1\n", "t.v.gz": b"10\n20\n30\n"}.items()}  # fmt: skip
    assert read_edges(file(tar_of(members, "w"), "t.tar"), member="t.e.gz").ids.tolist() == [10, 20, 30]
    for name, content in members.items():
        path = file(content, name)
        assert name.startswith("t.e") or read_edges(path).ids.tolist() == [10, 20, 30]
    assert read_edges(path.with_name("t.e.gz")).num_vertices == 3  # the isolated vertex of t.v.gz exists


@pytest.mark.parametrize(
    ("name", "compress"), [("g.gz", gzip.compress), ("g.xz", lzma.compress), ("g.bz2", bz2.compress)]
)
def test_a_damaged_later_stream_is_not_dropped(file, name, compress):
    first, second = compress(b"0 1\n"), compress(b"1 2\n")
    assert len(read_edges(file(first + second, name))) == 2
    assert len(read_edges(file(first + bytes(512), name))) == 1  # padding
    for rest in (second[:-3], b"XX" + second[2:], second + b"junk"):
        with pytest.raises(ParseError, match=rf"{name}: the \w+ data is"):
            read_edges(file(first + rest, name))


def test_damaged_header_within_a_tar_archive(file):
    whole = tar_of({"a.txt": b"0 1\n", "b.txt": b"1 2\n"}, "w")
    assert whole[1024:1029] == b"b.txt"
    with pytest.raises(ParseError, match="the tar archive is damaged"):
        read_edges(file(whole[:1024] + b"?" + whole[1025:], "a.tar"))
    with pytest.raises(ParseError, match="the tar archive is truncated"):
        read_edges(file(whole[:1024], "a.tar"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\x28\xb5\x2f\xfd0000", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a", "rar"), (b"PK\x05\x06", "zip")],
)
def test_formats_that_are_not_read_are_named(file, content, reason):
    with pytest.raises(ParseError, match=reason):
        read_edges(file(content, "graph.txt"))


ZEROS = b"0 1\n" * (1 << 22)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("b.txt.gz", gzip.compress),
        ("b.txt.xz", lzma.compress),
        ("b.txt.bz2", bz2.compress),
        ("b.tar.gz", lambda data: gzip.compress(tar_of({"b.txt": data}, "w"))),
        ("b.tar", lambda data: tar_of({"b.txt.bz2": bz2.compress(data)}, "w")),
        ("b.zip", lambda data: zip_of("b.txt", data)),
        ("b.zip", lambda data: zip_of("b.txt.xz", lzma.compress(data))),
    ],
)
def test_bombs(file, name, make, monkeypatch):
    import frontier.io.files as files

    path = file(make(ZEROS), name)
    assert len(read_edges(path)) == 1 << 22  # small enough to be harmless
    monkeypatch.setattr(files, "BOMB_BYTES", len(ZEROS) - 1)
    monkeypatch.setattr(files, "BOMB_RATIO", 10)
    with pytest.raises(ParseError, match=rf"{name}.*unpack"):
        read_edges(path)


def zip_of(name, data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def test_sparse_member(file):
    info = tarfile.TarInfo("a.txt")
    info.type = tarfile.GNUTYPE_SPARSE
    raw = bytearray(info.tobuf())
    raw[386 : 386 + 48] = b"%011o\0%011o\0" % (0, 4) + bytes(24)
    raw[483:495] = b"%011o\0" % (1 << 32)
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw)
    with pytest.raises(ParseError, match=r"sparse members are not supported|damaged"):
        read_edges(file(bytes(raw) + bytes(1024), "a.tar"))


def test_parquet_bomb_and_damage(file, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    zeros = pa.repeat(0, 1 << 26)
    parquet.write_table(pa.table({"src": zeros, "dst": zeros}), tmp_path / "b.parquet")
    with pytest.raises(ParseError, match=r"b\.parquet: 67,108,864 rows in a file of"):
        read_edges(tmp_path / "b.parquet")
    assert (tmp_path / "b.parquet").stat().st_size < 1 << 20
