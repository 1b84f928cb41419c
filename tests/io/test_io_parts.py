"""Files read part by part: the rows equal the rows of the whole file, at any boundaries of parts."""

import bz2
import gzip
import lzma
import shutil

import numpy as np
import pytest

import frontier as fr
from frontier.io.options import ReadOptions
from frontier.io.parts import read_parts, whole_lines
from frontier.io.text import read_text

TEXTS = {
    "plain.txt": "# a comment\n0 1\n2 3\n\n4 5\n# between\n6 7\n8 9",
    "crlf.txt": "0 1 5\r\n2 3 6\r\n4 5 7\r\n",
    "times.txt": "".join(f"{i} {i + 1} {200_000_000 + i}\n" for i in range(20)),
    "weights.csv": "source,target,weight\n" + "".join(f"{i},{i + 2},{i}.5\n" for i in range(20)),
    "quoted.csv": 'src,note,dst\n1,"two\nlines",2\n3,"a ""word""",4\n5,b,6\n' * 1,
    "changes.txt": "+ 0 1\n+ 1 2\n- 0 1\n- 1 2\n+ 3 4\n",
    "empty.txt": "# nothing\n",
    "dynamic.txt": "% sym dynamic\n1 2 1\n2 3 1\n1 2 -1\n4 5 +1\n4 5 -1\n1 3 1\n",
    "konect.txt": "% asym unweighted\n1 2\n3 4\n5 6\n",
}


@pytest.fixture(params=[1, 3], ids=["serial", "parallel"])
def small_pieces(monkeypatch, request):
    """Files are read a few bytes at a time, and parsed by one thread or several."""
    monkeypatch.setattr("frontier.io.parts.PARSERS", request.param)
    monkeypatch.setattr("frontier.io.files._CHUNK", 2)
    monkeypatch.setattr("frontier.io.files._PIECE", 32)
    monkeypatch.setattr("frontier.io.files._STEP", 50)


def joined(parts):
    """Columns of all rows, and their operations."""
    parts = list(parts)
    operations = [part.operation for part in parts for _ in range(len(part))]
    columns = {}
    for name in ("src", "dst", "weights", "times"):
        found = [getattr(part, name) for part in parts if len(part) and getattr(part, name) is not None]
        columns[name] = np.concatenate(found).tolist() if found else None
    return columns, operations


def expected(path, **options):
    stream = fr.io.read_stream(path, 3, order="file", compact=False, **options)
    return joined(stream)


@pytest.mark.filterwarnings("ignore::frontier.io.IgnoredColumnsWarning")
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("part_bytes", [1, 30, 1 << 20])
def test_text_in_parts(name, part_bytes, tmp_path, small_pieces):
    path = tmp_path / name
    path.write_bytes(TEXTS[name].encode())
    assert joined(read_parts(path, part_bytes=part_bytes)) == expected(path)


@pytest.mark.parametrize("module, suffix", [(gzip, "gz"), (bz2, "bz2"), (lzma, "xz")])
def test_compressed_text_in_parts(module, suffix, tmp_path, small_pieces):
    path, text = tmp_path / f"graph.txt.{suffix}", TEXTS["times.txt"].encode()
    path.write_bytes(module.compress(text[:100]) + module.compress(text[100:]) + bytes(20))  # two streams, and padding
    assert joined(read_parts(path, part_bytes=64)) == expected(path)
    path.write_bytes(module.compress(text)[:-3])
    with pytest.raises(fr.io.ParseError, match="truncated"):
        list(read_parts(path, part_bytes=64))
    path.write_bytes(module.compress(text) + b"more")
    with pytest.raises(fr.io.ParseError, match="other data follows"):
        list(read_parts(path, part_bytes=64))


def test_an_error_names_the_line_of_the_file(tmp_path, small_pieces):
    path = tmp_path / "bad.txt"
    path.write_text("# first\n" + "0 1\n" * 50 + "0 x\n" + "0 1\n" * 50)
    found = []
    with pytest.raises(fr.io.ParseError, match="line 52: stray word 'x'"):
        found.extend(read_parts(path, part_bytes=40))
    assert 10 < sum(map(len, found)) <= 50


def test_a_third_column_is_in_all_parts_what_it_is_in_the_first(tmp_path, small_pieces):
    path = tmp_path / "graph.txt"
    path.write_text("0 1 200000000\n" * 3 + "1 2 5\n" * 20)
    assert all(part.times is not None and part.weights is None for part in read_parts(path, part_bytes=20))


def test_formats_that_are_read_as_a_whole(tmp_path):
    matrix = tmp_path / "graph.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n")
    assert joined(read_parts(matrix)) == expected(matrix)
    (tmp_path / "names.csv").write_text("src,dst\nann,bob\nbob,eve\n")
    assert [len(part) for part in read_parts(tmp_path / "names.csv")] == [2]
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "graph.txt").write_text("0 1\n1 2\n")
    archive = shutil.make_archive(str(tmp_path / "graph"), "gztar", tmp_path / "inner")
    assert joined(read_parts(archive)) == expected(archive)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_tables_in_parts(kind, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path, rows = tmp_path / f"graph.{kind}", np.arange(1000)
    table = pyarrow.table({"src": rows, "dst": rows + 1, "time": rows + 10})
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=300)
    else:
        with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=300)
    parts = list(read_parts(path))
    assert len(parts) > 1 or kind == "parquet"
    assert joined(parts) == expected(path)


@pytest.mark.parametrize("library", ["zlib", "isal.isal_zlib"])
def test_gzip_by_every_library(library, tmp_path, small_pieces, monkeypatch):
    """Faults, too, are found and reported alike."""
    monkeypatch.setattr("frontier.io.files.deflate", pytest.importorskip(library))
    test_compressed_text_in_parts(gzip, "gz", tmp_path, small_pieces)
    packed = gzip.compress(TEXTS["times.txt"].encode())
    for at in (12, len(packed) // 2, len(packed) - 8, len(packed) - 4):  # in the data, in its checksum and length
        path = tmp_path / "damaged.gz"
        path.write_bytes(packed[:at] + bytes([packed[at] ^ 255]) + packed[at + 1 :])
        with pytest.raises(fr.io.ParseError, match="the gzip data is damaged"):
            list(read_parts(path, part_bytes=64))


def test_texts_are_decompressed_in_the_thread_that_runs_ahead(tmp_path):
    """Which yields whole parts: smaller pieces would not occupy it while a part is parsed."""
    path, text = tmp_path / "graph.txt.gz", b"".join(b"%d %d\n" % (i, i + 1) for i in range(1000))
    path.write_bytes(gzip.compress(text))
    seen = []

    def ahead(parts):
        for part in parts:
            seen.append(part)
            yield part

    list(read_parts(path, part_bytes=1 << 20, ahead=ahead))
    assert seen == [text]


def test_parts_end_with_lines_outside_of_quotes():
    pieces = [b"ab", b"c\nde", b'f\n"g', b'\nh" i\nj']
    assert list(whole_lines(iter(pieces), 1)) == [b"abc\n", b"def\n", b'"g\nh" i\n', b"j"]
    assert b"".join(whole_lines(iter(pieces), 8)) == b"".join(pieces)


@pytest.mark.parametrize("delimiter", [",", " ", "\t"])
def test_parts_end_where_the_parser_ends_records(delimiter):
    """Random texts of the characters that matter to rows: parts give the same rows as the whole."""
    rng = np.random.default_rng(5)
    for number in range(1500):
        letters = [*'ab"""\n\n#+-\t ', delimiter, delimiter, '""', '"a', 'a"', f'{delimiter}"']
        body = "".join(rng.choice(letters, rng.integers(1, 25))).encode()
        operations = number % 4 == 0
        options = {"columns": ("src", "dst", None), "delimiter": delimiter, "named": True, "operations": operations}
        whole, error = parsed([body], **options)
        syntax = ReadOptions(delimiter=delimiter, operations=operations).syntax(body)
        pieces = [body[k : k + 3] for k in range(0, len(body), 3)]
        parts = list(whole_lines(pieces, 1, syntax))
        assert b"".join(parts) == body and all(part.endswith(b"\n") for part in parts[:-1])
        found, again = parsed(parts, **options)
        assert error or (found == whole and not again), (body, parts, whole, found)


def parsed(parts, **options):
    """The ends of all rows, and whether a fault occurs."""
    records = []
    for part in parts:
        try:
            edges, _ = read_text(part, "text", ReadOptions(header=False, comments="#", **options))
        except fr.io.ParseError as error:
            return records, str(error)
        records += [(edges.ids[u], edges.ids[v]) for u, v in zip(edges.src, edges.dst, strict=True)]
    return records, ""


@pytest.mark.parametrize("reader", [fr.io.read_edges, lambda path: list(read_parts(path, part_bytes=1 << 10))])
@pytest.mark.parametrize("packed", [False, True])
def test_a_stray_quote_is_an_error_that_names_its_line(reader, packed, tmp_path):
    rest = b"".join(b"%d,%d,note\n" % (i, i + 1) for i in range(100_000))  # more than the limit of a row
    for stray, reason in [
        (b'1,2,"note\n', "nothing closes the quote before the column 3 within 1,048,576 bytes"),
        (b'1,"2,note\n', "stray word"),
        (b'1,2,"note\n' + rest[:10_000] + b'3,4,"note"\n', "is not one field in quotes"),
    ]:
        path = tmp_path / ("graph.csv.gz" if packed else "graph.csv")
        data = b'src,dst,note\n# 5" and 6"\n1,2,5" disc\n' + stray + rest
        path.write_bytes(gzip.compress(data, 1) if packed else data)
        with pytest.warns(fr.io.IgnoredColumnsWarning), pytest.raises(fr.io.ParseError, match=reason) as caught:
            reader(path)
        assert caught.value.line == 4


@pytest.mark.parametrize(
    "reader", [fr.io.read_edges, lambda path, **options: list(read_parts(path, ReadOptions(**options)))]
)
def test_records_have_a_longest_length(reader, tmp_path):
    path = tmp_path / "graph.txt"
    for long in (b"3 4" + b" " * 500 + b"\n", b"#" * 500 + b"\n", b" " * 500 + b"\n", b"3 4" + b" " * 500):
        path.write_bytes(b"1 2\n\n" + long)
        reader(path, max_record_bytes=510)
        with pytest.raises(fr.io.ParseError, match="line 3: a record of more than 100 bytes; max_record_bytes="):
            reader(path, max_record_bytes=100)


def test_parts_of_a_text_without_lines_are_short():
    """Text that cannot be a row is not read to its end."""
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield b"9" * (1 << 16)

    with pytest.raises(fr.io.ParseError, match="a record of more than 1,048,576 bytes"):
        list(whole_lines(endless(), 1))
    assert len(taken) == 17


@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_a_compressed_text_that_ends_early_has_no_cut_record(module, tmp_path, small_pieces):
    rows = [(i, i + 1, 1000 * i) for i in range(500)]
    packed, path = module.compress("".join(f"{u} {v} {w}\n" for u, v, w in rows).encode()), tmp_path / "graph.txt.gz"
    for cut in range(1, 400, 37):
        path.write_bytes(packed[:-cut])
        found = []
        with pytest.raises(fr.io.ParseError, match="truncated"):
            for part in read_parts(path, ReadOptions(("src", "dst", "weight")), part_bytes=64):
                found += zip(part.src.tolist(), part.dst.tolist(), part.weights.tolist(), strict=True)
        assert found == rows[: len(found)]
