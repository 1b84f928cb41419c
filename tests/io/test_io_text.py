import bz2
import gzip
import lzma
import os
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.io import ParseError, ReaderWarning, from_table, read_edges, read_stream, text_columns, tokenizer
from frontier.io.parts import read_parts

pytestmark = pytest.mark.filterwarnings("ignore::frontier.io.IgnoredColumnsWarning")


@pytest.fixture
def text(tmp_path):
    """Write text to a file and return its path."""

    def write(content, name="graph.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        "0 1\n2 3\n",
        "0 1\n2 3",
        "0\t1\r\n2\t3\r\n",
        "0,1\n2,3\n",
        "0, 1 \n 2 ,3,\n",
        "# comment\n% other\n\n0 1\n   \n# in between\n\t2   3  \n\n",
        "\ufeff0 1\n2 3\n",
        "+0 1\n2 +3\n",
        "src,dst\n0,1\n2,3\n",
        "# FromNodeId\tToNodeId\n0\t1\n2\t3\n",
        "00 01\n02 0003\n",
    ],
)
def test_two_columns(text, content):
    edges = read_edges(text(content))
    assert edges.src.tolist() == [0, 2] and edges.dst.tolist() == [1, 3]
    assert edges.weights is None and edges.times is None and edges.num_vertices == 4


@pytest.mark.parametrize("content", ["", "\n\n", "# only\n% comments", "  \r\n"])
def test_no_records(text, content):
    edges = read_edges(text(content))
    assert len(edges) == 0 and edges.num_vertices == 0 and edges.src.dtype == np.int32
    assert len(read_edges(text(content), compact=True)) == 0


@pytest.mark.parametrize(
    ("name", "compress"), [("g.txt.gz", gzip.compress), ("g.txt.xz", lzma.compress), ("g.bz2", bz2.compress)]
)
def test_compressed_and_truncated(text, name, compress):
    packed = compress(b"".join(b"%d %d\n" % (k, k * k) for k in range(2000)))
    assert read_edges(text(packed, name)).dst[-1] == 1999**2
    assert len(read_edges(text(packed, "no_suffix"))) == 2000
    for length in (len(packed) // 2, len(packed) - 3):
        with pytest.raises(ParseError, match=rf"{name}: the \w+ data is truncated"):
            read_edges(text(packed[:length], name))
    damaged = packed[:60] + bytes(b ^ 255 for b in packed[60:80]) + packed[80:]
    with pytest.raises(ParseError, match=name):
        read_edges(text(damaged, name))
    with pytest.raises(ParseError, match="truncated"):
        read_edges(text(b"", name))
    with pytest.raises(ParseError, match="not compressed"):
        read_edges(text("0 1\n", name))


def test_gzip_of_several_members(text):
    assert len(read_edges(text(gzip.compress(b"0 1\n") + gzip.compress(b"1 2\n"), "g.gz"))) == 2


def test_third_column_by_size(text):
    assert read_edges(text("0 1 1082040961\n1 2 1082040960\n")).times.tolist() == [1082040961, 1082040960]
    small = read_edges(text("0 1 1082040961\n1 2 7\n"))
    assert small.times is None and small.weights.tolist() == [1082040961.0, 7.0]
    assert read_edges(text("0 1 1082040961.5\n")).times is None


def test_third_column_by_argument_or_name(text):
    path = text("0 1 5\n1 2 6\n")
    assert read_edges(path, columns=("src", "dst", "time")).times.tolist() == [5, 6]
    assert read_edges(path, columns=("dst", "src")).src.tolist() == [1, 2]
    assert read_edges(path, columns=("src", "dst", None)).weights is None
    assert read_edges(path, weighted=False).weights is None
    assert read_edges(text("0 1 1082040961\n"), weighted=True).weights.tolist() == [1082040961.0]
    assert read_edges(text("0 1 5\n", "my-temporal.txt")).times.tolist() == [5]
    assert read_edges(text("# src dst time\n0 1 5\n")).times.tolist() == [5]
    assert read_edges(text("source target when\n0 1 5\n")).times.tolist() == [5]
    assert read_edges(text("source;target;timestamp\n0;1;5\n", "a.csv"), delimiter=";").times.tolist() == [5]
    named = read_edges(text("when,a,b\n5,0,1\n", "b.csv"), columns={"src": "b", "dst": "a", "time": "when"})
    assert (named.src[0], named.dst[0], named.times[0]) == (1, 0, 5)


def test_skipped_columns_may_hold_words(text):
    edges = read_edges(text("0 x 1 y 2.5\n3 z 4 w -1\n"), columns=("src", "_", "dst", None, "weight"))
    assert edges.dst.tolist() == [1, 4] and edges.weights.tolist() == [2.5, -1.0]
    assert read_edges(text("0,,1\n"), columns=("src", None, "dst")).dst.tolist() == [1]


def test_four_columns_and_konect(text):
    edges = read_edges(text("% asym positive\n% 2 3 3\n1 2 1 100\n3 2 4 50.5\n"))
    assert edges.src.tolist() == [0, 2] and edges.num_vertices == 3 and edges.directed is True
    assert edges.weights.tolist() == [1, 4] and edges.times.tolist() == [100.0, 50.5]
    with pytest.raises(ParseError, match="line 1: bipartite"):
        read_edges(text("% bip unweighted\n1 1\n"))


@pytest.mark.parametrize("kind", ["unweighted", "positive", "posweighted", "signed", "multisigned", "weighted",
                                  "multiweighted", "multiposweighted"])  # fmt: skip
def test_konect_says_that_the_third_column_is_a_weight(text, kind):
    edges = read_edges(text(f"% sym {kind}\n1 2 200000000\n2 3 300000000\n", "out.temporal.txt"))
    assert edges.weights.tolist() == [2e8, 3e8] and edges.times is None and edges.directed is False
    assert read_edges(text(f"% sym {kind}\n1 2 1 5\n"), weighted=False).times.tolist() == [5]


DYNAMIC = "% {} dynamic\n% 6 4 4\n1 2 +1 10\n2 3 1 20\n3 1 1 30\n2 1 1 35\n3 4 1 40\n1 2 -1 60\n4 3 -1 50\n"


def test_dynamic_konect_networks_delete(text):
    edges = read_edges(text(DYNAMIC.format("sym")))
    assert list(zip(edges.src.tolist(), edges.dst.tolist(), strict=True)) == [(1, 2), (2, 0)]
    assert edges.weights is None and edges.times.tolist() == [20, 30] and edges.num_vertices == 4
    edges = read_edges(text(DYNAMIC.format("asym")))
    assert list(zip(edges.src.tolist(), edges.dst.tolist(), strict=True)) == [(1, 2), (2, 0), (1, 0), (2, 3)]
    assert read_edges(text("% sym dynamic\n1 2 1\n1 2 -1\n5 2 1\n"), compact=True).ids.tolist() == [1, 2, 5]
    assert read_edges(text("% sym dynamic\n1 2 1\n1 2 1\n2 1 -1\n1 2 1\n"), weighted=False).num_records == 1
    assert len(read_edges(text("% sym dynamic\n"))) == 0


@pytest.mark.parametrize("content, line, reason", [
    ("% sym dynamic\n1 2\n", 2, "needs its weights"),
    ("% sym dynamic\n1 2 1\n\n% more\n2 3 0\n", 5, "neither 1 nor -1: '2 3 0'"),
    ("% sym dynamic\n1 2 2.5\n", 2, "neither 1 nor -1"),
])  # fmt: skip
def test_malformed_dynamic_konect_networks(text, content, line, reason):
    with pytest.raises(ParseError, match=reason) as caught:
        read_edges(text(content))
    assert caught.value.line == line
    with pytest.raises(ParseError, match="needs its weights"):
        read_edges(text("% sym dynamic\n1 2 -1\n"), columns=("src", "dst"))


def test_directed_from_comment(text):
    assert read_edges(text("# Directed graph (each pair once)\n0 1\n")).directed is True
    assert read_edges(text("# Undirected graph: x\n0 1\n")).directed is False
    assert read_edges(text("0 1\n")).directed is None


def test_huge_ids_and_compact(text):
    largest = 2**63 - 2
    path = text(f"{largest} 5\n5 7\n")
    edges = read_edges(path)
    assert edges.src.dtype == np.int64 and edges.src[0] == largest and edges.num_vertices == 2**63 - 1
    small = read_edges(path, compact=True)
    assert small.ids.tolist() == [5, 7, largest] and small.src.tolist() == [2, 0] and small.src.dtype == np.int32


def test_nanosecond_times_are_exact(text):
    stamp = 1_700_000_000_123_456_789
    assert read_edges(text(f"0 1 {stamp}\n")).times.tolist() == [stamp]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("0 1\n2 x\n", 2, "stray word 'x' where the dst should be: '2 x'"),
        ("# c\n\n0 1\n\nfoo 1\n", 5, "stray word 'foo' where the src"),
        ("foo bar\n", 1, "stray word 'foo'"),
        ("0 1\n-3 1\n", 2, "negative vertex id -3"),
        ("0 1\r\n1 -0\r\n", 2, "negative vertex id -0: '1 -0'"),
        ("0 9223372036854775808\n", 1, "9223372036854775808 is over the int64 range"),
        ("0 9223372036854775807\n", 1, "over the int64 range"),
        ("0 99999999999999999999999\n", 1, "over the int64 range"),
        ("0 1\n1.5 2\n", 2, "1.5 is not an integer"),
        ("0 1\n1e3 2\n", 2, "1e3 is not an integer"),
        ("0 1\n7\n", 2, r"missing column: the dst \(column 2 of 2\)"),
        ("7\n", 1, "missing column: the dst"),
        ("0 1 2.5\n0 1\n", 2, "missing column: the third column"),
        ("0 1\n0 1 2\n", 2, "stray word '2' after the last of 2 columns"),
        ("0 1 0.5\n1 2 nan\n", 2, "the third column is NaN"),
        ("0 1 0.5\n1 2 -NaN\n", 2, "is NaN"),
        ("0 1 0.5\n1 2 inf\n", 2, "is infinite"),
        ("0 1 0.5\n1 2 1e999\n", 2, "1e999 overflows"),
        ("0 1 0.5\n1 2 1e\n", 2, "stray word '1e'"),
        ("0 1 0.5\n1 2 .\n", 2, r"stray word '\.'"),
        ("0 1 0.5\n1 2 1.5x\n", 2, "stray word '1.5x'"),
        ("0,1\n2,,3\n", 2, "missing column: the dst is empty"),
        ("0,1\n,3\n", 2, "missing column: the src is empty"),
        ("0 1\n2 3 # note\n", 2, "stray word '#' after"),
        ("0 1\n2 \x00\n", 2, "missing column"),
        ("0 1\n2 3é\n", 2, "stray word '3é'"),
        ("1 2 3 4 5\n", 1, r"5 columns; name them"),
        ("+ 1 2\n", None, "read such a stream with read_stream"),
    ],
)
def test_malformed(text, content, line, reason):
    if "\x00" in content:
        reason = "stray word|missing column"
    path = text(content)
    with pytest.raises(ParseError, match=reason) as caught:
        read_edges(path)
    assert str(path) in str(caught.value) and caught.value.line == line
    if line is not None:
        assert caught.value.text == content.split("\n")[line - 1].rstrip("\r")
        assert f"line {line}:" in str(caught.value)


def test_bad_arguments(text):
    path = text("0 1 2\n")
    for columns, reason in [
        (("src",), "both"),
        (("src", "dst", "colour"), "unknown column 'colour'"),
        (("src", "dst", "src"), "twice"),
        ({"src": "a", "dst": "b"}, "no line of names"),
    ]:
        with pytest.raises(ValueError, match=reason):
            read_edges(path, columns=columns)
    with pytest.raises(TypeError, match="sequence"):
        read_edges(path, columns="src")
    with pytest.raises(ParseError, match="weights are asked for"):
        read_edges(text("0 1\n", "two.txt"), weighted=True)
    with pytest.raises(ValueError, match="delimiter"):
        read_edges(path, delimiter="::")
    with pytest.raises(ValueError, match="not an archive"):
        read_edges(path, member="x")
    with pytest.raises(ValueError, match="no column 'c'"):
        read_edges(text("a,b\n0,1\n", "h.csv"), columns={"src": "a", "dst": "c"})
    with pytest.raises(FileNotFoundError):
        read_edges(path.parent / "absent.txt")


def test_other_comments_and_delimiters(text):
    assert read_edges(text("; note\n0|1\n"), comments=";", delimiter="|").dst.tolist() == [1]
    with pytest.raises(ParseError, match="stray word"):
        read_edges(text("0,1\n"), delimiter=" ")


@pytest.mark.parametrize("byte", [*range(9), 11, 12, *range(14, 32), 127])
def test_control_characters_separate_nothing_and_end_nothing(text, byte):
    c = chr(byte)
    contents = [f"24{c}21\n", f"24 21{c}\n", f"{c}24 21\n", f"24 21 -3{c}25\n", f"24 {c} 21\n", f"1 2\n24 21\n{c}",
                f"24,21{c}\n", f"24{c},21\n", f'"24{c}","21"\n', f"24 21 1.5{c}\n", f"24 21 1e5{c}2\n"]  # fmt: skip
    for content in contents:
        with pytest.raises(ParseError):
            read_edges(text(content))
    for content in (f"src,dst,note\n1,2,a{c}b\n", f"src,dst\na,b{c}c\n"):
        with pytest.raises(ParseError, match="control character"):
            read_edges(text(content, "a.csv"))


@pytest.mark.parametrize("content", ["1 2\r3 4\r", "1,2\r3,4", "\r1 2\n", "1 2\r\r\n"])
def test_a_carriage_return_alone_ends_no_line(text, content):
    with pytest.raises(ParseError, match="stray word"):
        read_edges(text(content))


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("src,dst\n1,2,3\n", 2),
        ("src,dst\n1,2\n3,4,5\n", 3),
        ("src,dst,note\n1,2,x,9\n", 2),
        ("1,2\n3,4,5\n", 2),
        ("1 2,3\n", 1),
        ("1,2\n3 4\n", 2),
        ('src,dst\n"1,2"\n', 2),
        ('src,dst,note\n1,2,"x" y\n', 2),
        ('src,dst,note\n1,2,"x\n', 2),
        ("src,dst,weight\n1,2,\n", 2),
        ("src,dst\nann,\n", 2),
        ("src,dst\nann,bob\n,bob\n", 3),
        ('src,dst\nann,""\n', 2),
    ],
)
def test_csv_of_another_width(text, content, line):
    with pytest.raises(ParseError) as caught:
        read_edges(text(content, "a.csv"))
    assert caught.value.line == line and "a.csv" in str(caught.value)


def test_csv_with_quotes(text):
    path = text('"src","note","dst"\n"0","a, ""b""\nc", 1 \n2,,"3"\n', "a.csv")
    edges = read_edges(path, columns={"src": "src", "dst": "dst"})
    assert edges.src.tolist() == [0, 2] and edges.dst.tolist() == [1, 3]
    edges = read_edges(text('from,to\n"a ""x"" b","c,d"\n"e\nf",5" disc\n', "a.csv"))
    assert edges.ids.tolist() == ['5" disc', 'a "x" b', "c,d", "e\nf"] and edges.src.tolist() == [1, 3]
    assert read_edges(text("1,2,,\n3,4,\n", "a.csv")).weights is None  # empty columns lose nothing


def test_bytes_that_are_not_utf8(text):
    with pytest.raises(ParseError, match=r"a\.csv, line 3: the word b'\\xe9' is not UTF-8"):
        read_edges(text(b"from,to\nann,bob\n\xe9,bob\n", "a.csv"))
    with pytest.raises(ParseError, match=r"UTF-16.*save it as UTF-8"):
        read_edges(text("from,to\nann,bob\n".encode("utf-16"), "a.csv"))


def test_header_or_record(text):
    path = text("ann,bob\nbob,eve\n", "a.csv")
    with pytest.raises(ParseError, match="line 1: does this line contain the names of the columns, or the first"):
        read_edges(path)
    assert read_edges(path, header=False).ids.tolist() == ["ann", "bob", "eve"]
    assert read_edges(path, header=True).ids.tolist() == ["bob", "eve"]
    assert read_edges(text("alpha,beta\n0,1\n", "a.csv")).dst.tolist() == [1]
    assert read_edges(text("7 8\n0 1\n"), header=True).src.tolist() == [0]


def test_rows_wider_than_the_names(text):
    path = text("user,item,at,features\n0,5,10,1,2,3\n1,5,11,1\n2,6,12,4,5\n", "a.csv")
    edges = read_edges(path, columns={"src": "user", "dst": "item", "time": "at"})
    assert edges.src.tolist() == [0, 1, 2] and edges.dst.tolist() == [5, 5, 6] and edges.times.tolist() == [10, 11, 12]
    with pytest.raises(ParseError, match="line 2: stray word '2' after the last of 4 columns"):
        read_edges(text("src,dst,time,features\n0,5,10,1,2,3\n", "b.csv"))


def records(edges):
    """Both ends of each row, as the file names them, and its weight if it has one."""
    ids = range(edges.num_vertices) if edges.ids is None else edges.ids
    ends = [(ids[u], ids[v]) for u, v in zip(edges.src.tolist(), edges.dst.tolist(), strict=True)]
    return ends if edges.weights is None else [(*end, w) for end, w in zip(ends, edges.weights.tolist(), strict=True)]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "unnamed"])
@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (["ann,101,5", "bob,102,3"], None, [("ann", "101", 5), ("bob", "102", 3)]),
        (["login,7,8", "logout,9,7"], (None, "src", "dst"), [(7, 8), (9, 7)]),
        (["ann,bob,5", "bob,eve,3"], None, [("ann", "bob", 5), ("bob", "eve", 3)]),
        (["u,v,5", "a,b,3"], None, [("u", "v", 5), ("a", "b", 3)]),
        (["ann,2020-01-01,7", "bob,2020-01-02,8"], ("src", None, "dst"), [("ann", "7"), ("bob", "8")]),
        (["A1,x,7,8", "A2,y,9,8"], (None, None, "src", "dst"), [(7, 8), (9, 8)]),
        (["ann,1.5,101", "bob,2.5,102"], ("src", "weight", "dst"), [("ann", "101", 1.5), ("bob", "102", 2.5)]),
    ],
)
def test_a_first_record_is_no_header(text, recwarn, name, rows, columns, expected):
    """Its words stand above words, and its numbers above numbers."""
    content = "\n".join(rows) + "\n"
    edges = read_edges(text(content.replace(",", "\t") if name == "a.tsv" else content, name), columns=columns)
    assert records(edges) == expected and not recwarn


def test_letters_above_words_are_said_to_be_names_of_columns(text, recwarn):
    with pytest.warns(ReaderWarning, match="took line 1 for the names of the columns, u, v; say"):
        assert read_edges(text("u,v\nv,w\n", "a.csv")).ids.tolist() == ["v", "w"]
    assert read_edges(text("u,v\nv,w\n", "b.csv"), header=False).ids.tolist() == ["u", "v", "w"]
    recwarn.clear()
    for rows in ("u,v\n1,2\n", "u,v,w\nann,bob,3\n", "source,target\nann,bob\n"):  # these can be nothing else
        assert len(read_edges(text(rows, "c.csv"))) == 1
    assert read_edges(text("u,v\nv,w\n", "d.csv"), header=True).ids.tolist() == ["v", "w"]
    assert not recwarn.list


def test_a_header_that_is_told_by_its_looks_is_said(text):
    for content, names in [("alpha,beta\n0,1\n", "alpha, beta"), ("1st,2nd,w\n0,1,5\n", "1st, 2nd, w")]:
        with pytest.warns(ReaderWarning, match=f"took line 1 for the names of the columns, {names}; say") as said:
            assert read_edges(text(content, "a.csv")).src.tolist() == [0]
        assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_edges(text("alpha,beta\n0,1\n", "a.csv"), header=True).src.tolist() == [0]
        assert read_edges(text("src,dst\n0,1\n", "a.csv")).src.tolist() == [0]
        assert read_edges(text("a,b\n0,1\n", "a.csv"), columns={"src": "a", "dst": "b"}).src.tolist() == [0]
        assert read_edges(text("src,dst,2019\n0,1,5\n", "a.csv"), columns=("src", "dst")).src.tolist() == [0]
    with pytest.raises(ParseError, match="line 1: does this line contain the names of the columns, or the first"):
        read_edges(text("alpha,beta,2019\n0,1,5\n", "a.csv"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("#cats,#dogs\n#dogs,#birds\n", [("#cats", "#dogs"), ("#dogs", "#birds")]),
        ("#cats,ann\nbob,#dogs\n", [("#cats", "ann"), ("bob", "#dogs")]),
        ("# tags\n#by=me\n\n#cats,#ann\nbob,eve\n", [("#cats", "#ann"), ("bob", "eve")]),
        ("%20a,%20b\nann,bob\n", [("%20a", "%20b"), ("ann", "bob")]),
        ("#src,dst\nann,bob\n", [("ann", "bob")]),
        ("# ann,eve\nann,bob\n", [("ann", "bob")]),
        ("#5,6\nann,bob\n", [("ann", "bob")]),
        ("#cats,5\n1,2\n", [(1, 2)]),
        ("#,,\n##\nann,bob\n", [("ann", "bob")]),
    ],
)
def test_names_at_the_top_that_begin_like_comments(text, recwarn, content, expected):
    named = "ann" in content or "cats,#" in content
    assert records(read_edges(text(content, "a.csv"), header=False)) == expected
    assert records(read_edges(text(content.replace(",", " ")), named=named)) == expected and not recwarn


def test_a_line_that_may_be_a_comment_or_a_record(text):
    path = text("#cats,eve\nann,bob\n", "a.csv")
    with pytest.raises(ParseError, match="line 1: is this line a comment, or a row of names"):
        read_edges(path, header=False)
    assert records(read_edges(path, header=False, comments="")) == [("#cats", "eve"), ("ann", "bob")]
    assert records(read_edges(path, header=False, comments="#")) == [("ann", "bob")]
    inner = text("ann,bob\n#cats,eve\n", "a.csv")
    assert records(read_edges(inner, header=False, comments="#")) == [("ann", "bob")]
    with pytest.warns(ReaderWarning, match="skipped a line as a comment, '#cats'; a record of names has as many"):
        assert records(read_edges(text("#cats\nann,bob\n", "a.csv"), header=False)) == [("ann", "bob")]


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "unnamed"])
@pytest.mark.parametrize("reader", [read_edges, read_stream, lambda path: [*read_parts(path, part_bytes=1)]])
@pytest.mark.parametrize("row", ["7 07", '7 "007"', "7 +7", "07 007"])
def test_ids_with_leading_zeros_are_said(text, name, reader, row):
    content = f"1 0\n{row}\n{row}\n".replace(" ", "," if name == "a.csv" else " ")
    with pytest.warns(ReaderWarning, match=r"ids such as '[0+]+7' are read as integers, so '7' is the same") as said:
        reader(text(content, name))
    assert len(said) == 1


def test_ids_with_leading_zeros_as_names(text, recwarn):
    path = text('007,07\n"07",7\n', "a.csv")
    assert records(read_edges(path, named=True, header=False)) == [("007", "07"), ("07", "7")]
    assert records(read_edges(path, named=False)) == [(7, 7), (7, 7)]
    assert records(read_edges(text("0,10\n20,0\n", "a.csv"))) == [(0, 10), (20, 0)]
    assert records(read_edges(text("9,2,u,x\n1,02\n3,4\n", "a.jlg"), weighted=False))
    table = {"src": np.array(["007", "07"], object), "dst": np.array(["07", "7"], object)}
    assert records(from_table(table)) == [("007", "07"), ("07", "7")]
    assert not recwarn


def test_names_when_asked(text):
    path = text("ann bob\nbob 7\n")
    with pytest.raises(ParseError, match="named=True reads ids that are words"):
        read_edges(path)
    assert read_edges(path, named=True).ids.tolist() == ["7", "ann", "bob"]
    assert read_edges(text("1 2\n3 x\n"), named=True).ids.tolist() == ["1", "2", "3", "x"]
    with pytest.raises(ParseError, match="stray word 'ann'"):
        read_edges(text("from,to\nann,bob\n", "a.csv"), named=False)
    with pytest.raises(ParseError, match="line 2: stray word in a file of integer ids"):
        read_edges(text("from,to\n?,2\n3,4\n5,6\n", "a.csv"))
    with pytest.raises(ValueError, match="named= is for text"):
        read_edges(text("5,1,u,x\n1,2\n", "a.jlg"), named=True)


@pytest.mark.parametrize("row", ["18446744073709551610 3", "-1 3", "12e4 3", "1.5 3", "3 ann", "ann 3"])
@pytest.mark.parametrize("name", ["graph.txt", "graph.csv"])
def test_ids_of_other_kinds_are_read_as_names(text, row, name):
    content = f"1 2\n5 7\n{row}\n"
    path = text(content.replace(" ", ",") if name.endswith("csv") else content, name)
    with pytest.raises(ParseError, match=r"named=True reads .* fr\.VertexNames") as caught:
        read_edges(path)
    assert caught.value.line == 3 and "named=True" in caught.value.hint and "fr.VertexNames" in str(caught.value)
    assert set(row.split()) <= set(read_edges(path, named=True).ids.tolist())


def test_formats_of_integers_have_no_names(text):
    for content, name in (("5,1,u,x\n1,-2\n", "a.jlg"), ("1 -2\n", "a.noheader.mtx")):
        with pytest.raises(ParseError, match="negative") as caught:
            read_edges(text(content, name))
        assert "named" not in str(caught.value)


def test_names_that_look_like_comments(text):
    for content in ("from,to\nann,bob\n#eve,bob\n", "from,to\n#eve,bob\n", "from,to\n#eve,bob\nann,bob\n"):
        path = text(content, "a.csv")
        with pytest.raises(ParseError, match="a comment among records of names"):
            read_edges(path)
        assert "#eve" in read_edges(path, comments="").ids
    assert read_edges(text("# graph\nann bob\n"), named=True).ids.tolist() == ["ann", "bob"]


def test_open_file(text):
    path = text("from,to\nann,bob\n", "names.csv")
    with path.open("rb") as file:
        assert read_edges(file).ids.tolist() == ["ann", "bob"]
    with path.open() as file, pytest.raises(TypeError, match="open it in binary mode"):
        read_edges(file)


class Reading:
    """An open file with the method `read` and, if its answer is given, `seekable`."""

    def __init__(self, content, seekable=None):
        self.read = lambda: content
        if seekable is not None:
            self.seekable = lambda: seekable


def test_only_a_file_that_says_so_is_a_pipe():
    """The last line of other files needs no line end."""
    content = b"0 1\n2 3"
    for seekable in (None, True):
        assert read_edges(Reading(content, seekable)).dst.tolist() == [1, 3]
    with pytest.raises(ParseError, match="line 2: the pipe ended within a line"):
        read_edges(Reading(content, False))


def through_pipe(data, read):
    """The result of a reader for data from a pipe."""
    out, into = os.pipe()
    writer = threading.Thread(target=lambda: (os.write(into, data), os.close(into)))
    writer.start()
    try:
        return read(out)
    finally:
        writer.join()
        os.close(out)


def open_pipe(descriptor):
    with open(descriptor, "rb", closefd=False) as file:
        return read_edges(file)


@pytest.mark.parametrize("read", [open_pipe, lambda descriptor: read_edges(f"/dev/fd/{descriptor}")])
def test_a_line_that_the_end_of_a_pipe_cuts_is_an_error(text, read):
    content = b"0 1 1000\n3 4 2000\n"
    assert through_pipe(content, read).weights.tolist() == [1000, 2000]
    assert through_pipe(content + b"  ", read).weights.tolist() == [1000, 2000]
    with pytest.raises(ParseError, match=r"line 2: the pipe ended within a line; the last one needs .*: '3 4 20'"):
        through_pipe(content[:-3], read)
    with pytest.raises(ParseError, match="the pipe ended within a line"):
        through_pipe(b"%%MatrixMarket matrix coordinate pattern general\n30 30 1\n1 2", read)
    assert read_edges(text(content[:-3])).weights.tolist() == [1000, 20]  # a file ends where it was meant to
    packed = gzip.compress(content[:-3])
    assert through_pipe(packed, read).weights.tolist() == [1000, 20]
    with pytest.raises(ParseError, match="the gzip data is truncated"):
        through_pipe(packed[:-9], read)


@pytest.mark.parametrize("count", ["²", "-1", "1e9", "99999999999999999999", ""])
def test_announced_vertices(text, count):
    with pytest.raises(ParseError, match="line 1: the number of vertices must be an integer"):
        read_edges(text(f"# num_vertices: {count}\n0 1\n"))


@pytest.mark.parametrize("delimiter", ["::", "é", "\n", "5", '"', "-"])
def test_bad_delimiters(text, delimiter):
    with pytest.raises(ValueError, match="delimiter must be one ASCII character"):
        read_edges(text("0 1\n"), delimiter=delimiter)


numbers = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"[+-]?[0-9]{1,25}\.[0-9]{0,25}([eE][+-]?[0-9]{1,2})?", fullmatch=True),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 2**40), numbers), max_size=20))
def test_numbers_read_like_python_reads_them(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "numbers.txt"
    path.write_text("".join(f"{u} {v} {w}\n" for u, v, w in rows))
    edges = read_edges(path, weighted=True)
    assert edges.src.tolist() == [u for u, _, _ in rows] and edges.dst.tolist() == [v for _, v, _ in rows]
    if rows:
        assert edges.weights.tobytes() == np.array([float(w) for _, _, w in rows]).tobytes() or np.array_equal(
            edges.weights, [float(w) for _, _, w in rows]
        )


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="0123456789 \t\r\n,.#%+-enaxi\x00é", max_size=40))
def test_any_text_gives_edges_or_a_parse_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(content.encode())
    try:
        edges = read_edges(path)
    except ParseError as error:
        assert str(path) in str(error)
    else:
        assert len(edges) <= content.count("\n") + 1


def test_each_outcome_of_the_kernel_has_a_reason():
    assert sorted(getattr(tokenizer, name) for name in text_columns._REASONS) == [*range(1, tokenizer.LONG + 1)]
