"""Files of every format, mutated: a reader answers as a slow, strict one does, or raises an error that names the file.

``pytest --long tests/io/test_io_fuzz.py`` mutates 20,000 files and prints what became of them. Texts that are made to
be slow to read are read in time linear in their size.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import socket
import tarfile
import threading
import time
import warnings
import zipfile
import zlib
from collections import Counter

import numpy as np
import pytest
import strict_readers as strict
from archives import tar_of

from dynfrontier import SocketSource
from frontier.io import EdgeList, ParseError, read_edges, read_stream, write_edges
from frontier.io.options import ReadOptions
from frontier.io.parts import read_parts, whole_lines

SEED = 20261121
FEW, MANY = 600, 20_000
RECORDS = 40


def text(rows, separator=" ", end="\n"):
    return "".join(separator.join(map(str, row)) + end for row in rows).encode()


def rows_of(rng, *, base=0, weight=None, time=False):
    ends = rng.integers(base, 30, (RECORDS, 2)).tolist()
    columns = [*zip(*ends, strict=True)]
    if weight == "int":
        columns.append(rng.integers(-9, 99, RECORDS).tolist())
    elif weight == "float":
        columns.append([float(f"{value:.4g}") for value in rng.normal(0, 100, RECORDS)])
    if time:
        columns.append((10**9 + rng.integers(0, 10**6, RECORDS)).tolist())
    return list(zip(*columns, strict=True))


def matrix_market(rng):
    rows = rows_of(rng, base=1, weight="float")
    return f"%%MatrixMarket matrix coordinate real general\n% note\n30 30 {len(rows)}\n".encode() + text(rows)


def jlg(rng):
    return f"30,{RECORDS},u,graph\n".encode() + text(rows_of(rng, base=1), ",")


def names(rng):
    words = ["ann", "bob", "Zoë", "eve jr", "7", "x-y", '"a, b"', '"say ""hi"""']
    rows = [(words[u], words[v], date) for u, v, date in zip(
        rng.integers(0, 7, RECORDS), rng.integers(0, 8, RECORDS), days(rng), strict=True
    )]  # fmt: skip
    return text([("from", "to", "date"), *rows], ",")


def days(rng):
    return [str(np.datetime64("2020-01-01T00:00:00") + int(s)) for s in rng.integers(0, 10**8, RECORDS)]


def wide(rng):
    rows = [(*row, "x y", 5) for row in rows_of(rng, weight="float", time=True)]
    return text([("src", "dst", "amount", "when", "note", "size"), *rows], ",", "\r\n")


def operations(rng):
    rows = [("+" if k % 3 else "-", *row) for k, row in enumerate(rows_of(rng, weight="int"))]
    return text([("+", 1, 2, 3), *rows])


def ldbc(rng, order=("t.properties", "t.v", "t.e")):
    properties = (
        b"graph.t.vertex-file = t.v\ngraph.t.edge-file = t.e\ngraph.t.directed = true\n"
        b"graph.t.meta.vertices = 30\ngraph.t.meta.edges = %d\n" % RECORDS
    )
    vertices, edges = text([(k,) for k in range(30)]), text(rows_of(rng, weight="int"))
    files = {"t.properties": properties, "t.v": vertices, "t.e": edges}
    return {name: files[name] for name in order}


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def table(suffix):
    def make(rng):
        pytest.importorskip("pyarrow")
        import tempfile
        from pathlib import Path

        src, dst, weight, time = zip(*rows_of(rng, weight="float", time=True), strict=True)
        edges = EdgeList(np.array(src), np.array(dst), weights=np.array(weight), times=np.array(time))
        with tempfile.TemporaryDirectory() as folder:
            write_edges(Path(folder) / f"a{suffix}", edges)
            return (Path(folder) / f"a{suffix}").read_bytes()

    return make


# name of the file, maker of its bytes, strict reader (None: a successful read must equal the good file's contents)
FORMATS = {
    "two.txt": (lambda rng: b"# Directed graph\n" + text(rows_of(rng)), strict.read_text),
    "three.txt": (lambda rng: text(rows_of(rng, weight="float"), "\t", "\r\n"), strict.read_text),
    "time.txt": (lambda rng: text(rows_of(rng, time=True)), strict.read_text),
    "four.txt": (lambda rng: text(rows_of(rng, weight="int", time=True)), strict.read_text),
    "plain.csv": (lambda rng: text(rows_of(rng, weight="float"), ","), strict.read_csv),
    "names.csv": (names, strict.read_csv),
    "wide.csv": (wide, strict.read_csv),
    "wide.tsv": (lambda rng: wide(rng).replace(b",", b"\t"), strict.read_csv),
    "m.mtx": (matrix_market, strict.read_matrix_market),
    "m.noheader.mtx": (lambda rng: text(rows_of(rng, base=1)), strict.read_headerless),
    "g.jlg": (jlg, strict.read_jlg),
    "ops.txt": (operations, strict.read_operations),
    "t.tar": (lambda rng: tar_of(ldbc(rng), "w", tarfile.USTAR_FORMAT), strict.read_ldbc_tar),
    "one.tar": (lambda rng: tar_of({"g.txt": text(rows_of(rng))}, "w"), strict.read_one_tar),
    "g.txt.gz": (lambda rng: gzip.compress(text(rows_of(rng)), mtime=0), strict.read_gzip),
    "two.txt.gz": (lambda rng: b"".join(gzip.compress(text(rows_of(rng)), mtime=0) for _ in "12"), strict.read_gzip),
    "g.txt.xz": (lambda rng: lzma.compress(text(rows_of(rng))), strict.read_xz),
    "two.txt.xz": (lambda rng: b"".join(lzma.compress(text(rows_of(rng))) for _ in range(2)), strict.read_xz),
    "g.txt.bz2": (lambda rng: bz2.compress(text(rows_of(rng))), strict.read_bzip2),
    "g.zip": (lambda rng: zipped({"g.txt": text(rows_of(rng))}), None),
    "t.tar.gz": (lambda rng: gzip.compress(tar_of(ldbc(rng), "w", tarfile.USTAR_FORMAT), mtime=0), None),
    "a.parquet": (table(".parquet"), strict.read_arrow),
    "a.feather": (table(".feather"), strict.read_arrow),
    "a.arrow": (table(".arrow"), strict.read_arrow),
}
COMPRESSED = {name for name in FORMATS if name.endswith((".gz", ".xz", ".bz2", ".zip"))}
MEMBERS = {"t.tar": "t.e", "t.tar.gz": "t.e"}
ODD = b"\x00\x01\x08\x0b\x0c\x0e\x1a\x1c\x1f\x7f\x80\xff\r\n\t ,;\"'#%+-.eE0159axN/\\"


def mutate(rng, data):
    """A few bytes flipped, replaced, put in, left out, doubled or exchanged, or the rest cut off."""
    data = bytearray(data)
    for _ in range(int(rng.geometric(0.7))):
        if not data:
            break
        at = int(rng.integers(0, len(data)))
        size = 1 + int(rng.geometric(0.2))
        match int(rng.integers(0, 9)) if rng.random() < 0.9 else 7:
            case 0:
                data[at] ^= 1 << int(rng.integers(0, 8))
            case 1:
                data[at] = ODD[int(rng.integers(0, len(ODD)))]
            case 2:
                data[at:at] = bytes([ODD[int(rng.integers(0, len(ODD)))]])
            case 3:
                data[at] = int(rng.integers(0, 256))
            case 4:
                del data[at : at + size]
            case 5:
                data[at:at] = data[at : at + size]
            case 6:
                other = int(rng.integers(0, len(data)))
                data[at], data[other] = data[other], data[at]
            case 7:
                del data[at if rng.random() < 0.5 else -size :]
            case 8:
                data[at : at + size] = rng.bytes(size)
    return bytes(data)


def answer(edges, ops=None):
    """The data that were read, as plain Python."""
    ids = range(edges.num_vertices) if edges.ids is None else edges.ids.tolist()
    columns = [[ids[v] for v in edges.src.tolist()], [ids[v] for v in edges.dst.tolist()]]
    columns += [None if column is None else column.tolist() for column in (edges.weights, edges.times)]
    return (*columns, ops)


def read(file, name):
    if name == "ops.txt":
        stream = read_stream(file, 10**6, order="file", operations=True, compact=False)
        ops = ["+-"[not insert] for insert in stream._inserts]
        return answer(stream.edges, ops)
    return answer(read_edges(file, member=MEMBERS.get(name)))


def outcome(name, data, good, reader):
    """The outcome of a mutated file: in a word, with the details of a failure."""
    file = io.BytesIO(data)
    file.name = name
    try:
        found = read(file, name)
    except ParseError as error:
        if name not in str(error):
            return "error without the file", repr(error)
        rows = RECORDS if reader is strict.read_arrow else data.count(b"\n") + 1
        if error.line is not None and name not in COMPRESSED and not 1 <= error.line <= rows:
            return "error with a line that is not there", repr(error)
        return "error", ""
    except Exception as error:
        return "wrong kind of error", repr(error)
    if reader is None:
        return ("right", "") if found == good else ("misread", f"{found}\ninstead of\n{good}")
    try:
        wanted = reader(data)
    except strict.Refused as error:
        return "misread", f"{found}\nwhich must be refused: {error}"
    return ("right", "") if same(found, wanted) else ("misread", f"{found}\ninstead of\n{wanted}")


def same(found, wanted):
    """Equal columns. An integer, a float and a word of one value are unequal."""
    return all(
        (a is None) == (b is None) and (a is None or (len(a) == len(b) and all(
            x == y and type(x) is type(y) for x, y in zip(a, b, strict=True)
        ))) for a, b in zip(found, wanted, strict=True)
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", FORMATS)
def test_mutated_files(name, request, record_property):
    maker, reader = FORMATS[name]
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
    good = maker(rng)
    file = io.BytesIO(good)
    file.name = name
    known = read(file, name)
    assert reader is None or same(known, reader(good))
    count = (MANY if request.config.getoption("--long", False) else FEW) // len(FORMATS)
    counts: Counter[str] = Counter()
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(count):
            data = mutate(rng, good)
            kind, details = outcome(name, data, known, reader)
            counts[kind] += 1
            if kind not in ("error", "right"):
                wrong.append(f"{name}, number {k}: {kind}: {details}\n{data if len(data) < 3000 else len(data)}")
    print(f"\n{name}: {dict(counts)}")
    assert not wrong, "\n\n".join(wrong[:3])


# ---- time -----------------------------------------------------------------------------------------------------------

# name -> about n bytes that are as bad as they can be
HOSTILE = {
    "a quote at the beginning of a field": lambda n: b'1,2,"x\n' + b"1,2,3\n" * (n // 6),
    "a quote in a field": lambda n: b'1,2,x"\n' + b"1,2,3\n" * (n // 6),
    "quotes that open": lambda n: b'1,2,"x\n' * (n // 7),
    "quotes in fields": lambda n: b'1,2,5" x\n' * (n // 9),
    "quotes in comments": lambda n: b'# "\n' * (n // 8) + b"1,2,3\n" * (n // 12),
    "doubled quotes": lambda n: b'1,2,"' + b'""' * (n // 2),
    "quotes": lambda n: b'"' * n,
    "quotes and delimiters": lambda n: b'",' * (n // 2),
    "quotes and blanks": lambda n: b'" ' * (n // 2),
    "quotes and line ends": lambda n: b'"\n' * (n // 2),
    "names of two lines": lambda n: b"src,dst\n" + b'"a\nb","c\nd"\n' * (n // 12),
    "escapes": lambda n: b'1,2,\\"' * (n // 6),
    "digits": lambda n: b"1" * n,
    "digits before a letter": lambda n: b"1" * n + b"x,2\n1,2\n",
    "digits of a fraction": lambda n: b"1,2,0." + b"1" * n,
    "digits of an exponent": lambda n: b"1,2,1e" + b"1" * n,
    "columns": lambda n: b"1," * (n // 2) + b"\n",
    "columns with names": lambda n: b"src,dst" + b",x" * (n // 4) + b"\n1,2" + b",3" * (n // 4) + b"\n",
    "columns of one name": lambda n: b"src," * (n // 8) + b"\n1,2" + b",3" * (n // 4) + b"\n",
    "comments": lambda n: b"#\n" * (n // 2) + b"1,2,3\n",
    "a comment of words": lambda n: b"# " + b"a " * (n // 2) + b"\n1,2,3\n",
    "a comment of blanks": lambda n: b"# sym" + b" " * n + b"\n1,2,3\n",
    "carriage returns": lambda n: b"1,2\r" * (n // 4),
    "zeros": lambda n: b"\0" * n,
    "line ends": lambda n: b"\n" * n,
    "blanks": lambda n: b" " * n,
    "reals after integers": lambda n: b"1,2,3\n" * (n // 6) + b"1,2,3.5\n",
    "operations": lambda n: b"- 1 2\n" * (n // 6),
}
SMALL = 10_000


def from_socket(path):
    here, there = socket.socketpair()
    data = path.read_bytes()

    def send():
        with contextlib.suppress(OSError):  # the reader has left
            there.sendall(data)
        there.close()

    sender = threading.Thread(target=send)
    sender.start()
    try:
        list(SocketSource(here, ("src", "dst", None), ","))
    finally:
        here.close()
        sender.join()


def byte_by_byte(path):
    data = path.read_bytes()
    assert b"".join(whole_lines((data[k : k + 1] for k in range(len(data))), 1)) == data


def packed(path):
    path.with_suffix(".csv.gz").write_bytes(gzip.compress(path.read_bytes(), 1))
    return path.with_suffix(".csv.gz")


READERS = {
    "text": lambda path: read_edges(path, delimiter=","),
    "table": read_edges,
    "names": lambda path: read_edges(path, named=True, columns=("src", "dst")),
    "stream": lambda path: read_stream(path),
    "parts": lambda path: list(read_parts(path, part_bytes=1 << 12)),
    "compressed": lambda path: list(read_parts(packed(path), ReadOptions(("src", "dst")), part_bytes=1 << 12)),
    "socket": from_socket,
    "bytes": byte_by_byte,
}


def cpu_time(reader, path, data):
    """The time of the whole process: readers have threads."""
    path.write_bytes(data)
    begin = time.process_time()
    with contextlib.suppress(ParseError):
        reader(path)
    return time.process_time() - begin


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reader", READERS)
def test_hostile_texts_take_linear_time(reader, tmp_path):
    read, path = READERS[reader], tmp_path / "a.csv"
    cpu_time(read, path, b'1,2,"3"\n')  # compiles all kernels
    slow = {}
    for name, make in HOSTILE.items():
        for _ in range(3):  # one measurement may be disturbed
            once, often = (cpu_time(read, path, make(size)) for size in (SMALL, 4 * SMALL))
            if often < 10 * max(once, 0.005):
                break
        else:
            slow[name] = once, often
    assert not slow
