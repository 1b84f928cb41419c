"""Which column is what, and that no column is lost without a word: the same for every kind of table."""

import warnings

import numpy as np
import pytest

from frontier.io import IgnoredColumnsWarning, ParseError, from_table, read_edges, write_edges

KINDS = ["dict", "frame", "arrow", "parquet", "csv", "quoted csv", "tsv", "open csv"]


def as_text(columns, separator, quote=""):
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(separator.join(f"{quote}{value}{quote}" for value in row) + "\n" for row in rows)


@pytest.fixture(params=KINDS)
def read(request, tmp_path):
    """Reads a dict of columns by way of each kind of table."""
    kind = request.param

    def make(columns, /, **options):
        if kind == "dict":
            return from_table(columns, **options)
        if kind == "frame":
            return from_table(pytest.importorskip("pandas").DataFrame(columns), **options)
        if kind in ("arrow", "parquet"):
            table = pytest.importorskip("pyarrow").table(columns)
            if kind == "arrow":
                return from_table(table, **options)
            pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "a.parquet")
            return read_edges(tmp_path / "a.parquet", **options)
        path = tmp_path / ("a.tsv" if kind == "tsv" else "a.csv")
        path.write_text(as_text(columns, "\t" if kind == "tsv" else ",", '"' if kind == "quoted csv" else ""))
        if kind == "open csv":
            with path.open("rb") as file:
                return read_edges(file, **options)
        return read_edges(path, **options)

    return make


def found(edges):
    """The columns that were read, as lists."""
    values = (edges.src, edges.dst, edges.weights, edges.times)
    return tuple(None if value is None else value.tolist() for value in values)


ENDS = {"src": [0, 2], "dst": [1, 3]}


@pytest.mark.parametrize("name", ["weight", "amount", "Cost", "VALUE"])
def test_names_of_weights(read, name):
    assert found(read(ENDS | {name: [5, 6]})) == ([0, 2], [1, 3], [5.0, 6.0], None)


@pytest.mark.parametrize("name", ["time", "when", "date", "Timestamp"])
def test_names_of_times(read, name):
    assert found(read(ENDS | {name: [5, 6]})) == ([0, 2], [1, 3], None, [5, 6])


def test_dates_are_nanoseconds(read):
    words = ["2020-01-31", "1969-12-31T23:59:59.5Z"]
    assert found(read(ENDS | {"date": words}))[3] == [1580428800 * 10**9, -(10**9) // 2]
    assert (
        found(read(ENDS | {"date": ["2020-01-31 01:00:00+01:00", "2020-01-30T19:00-0500"]}))[3]
        == [1580428800 * 10**9] * 2
    )


def test_dates_in_a_third_column_without_a_name(read):
    assert found(read({"a": [0], "b": [1], "c": ["1970-01-02"]})) == ([0], [1], None, [86400 * 10**9])


@pytest.mark.parametrize("date", ["2020-02-30", "2020-1-1", "1500-01-01", "2020-01-01T25:00", "2020-01-01x", "now"])
def test_what_is_no_date(read, date):
    with pytest.raises(ParseError, match=r"date|stray word") as caught:
        read({"src": [0, 1], "dst": [1, 2], "date": ["2020-01-01", date]})
    assert caught.value.line in (2, 3)


def test_names_of_vertices(read):
    edges = read({"from": ["bob", "ann"], "to": ["ann", "Zoë Ł"], "amount": [1.5, 2]})
    assert edges.ids.tolist() == ["Zoë Ł", "ann", "bob"] and edges.weights.tolist() == [1.5, 2.0]
    assert [edges.ids[v] for v in (*edges.src, *edges.dst)] == ["bob", "ann", "ann", "Zoë Ł"]


def test_other_columns_are_ignored_with_a_warning(read):
    wide = ENDS | {"colour": ["red", "blue"], "amount": [1, 2], "size": [3, 4], "weight": [5, 6]}
    with pytest.warns(IgnoredColumnsWarning) as caught:
        assert found(read(wide)) == ([0, 2], [1, 3], [5.0, 6.0], None)
    assert len(caught) == 1 and "'colour', 'amount', 'size'" in str(caught[0].message)
    assert caught[0].filename == __file__  # the line that called the reader


def test_only_columns_that_could_be_chosen_are_suggested(read):
    words, numbers = {"Airline": ["LH", "BA"]}, {"miles": [3.5, 4]}
    for extra, such in [
        (words, "choose with columns="), (words | numbers, "such as columns={'weight': 'miles'}"),
        ({"left": ["2020-01-31", "2020-02-01"]}, "such as columns={'time': 'left'}"),
    ]:  # fmt: skip
        with pytest.warns(IgnoredColumnsWarning) as caught:
            read(ENDS | extra)
        assert str(caught[0].message).endswith(such) and "Airline'}" not in str(caught[0].message)


def test_explicit_columns_ignore_the_rest_in_silence(read):
    wide = ENDS | {"colour": ["red", "blue"], "amount": [1, 2], "size": [3, 4]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(read(wide, columns={"src": "src", "dst": "dst"})) == ([0, 2], [1, 3], None, None)
        assert found(read(wide, columns=("dst", "src", None, None, "time"))) == ([1, 3], [0, 2], None, [3, 4])
        assert found(read(wide, columns=("src", "dst"))) == ([0, 2], [1, 3], None, None)


def test_a_mapping_without_ends_adds_to_the_names(read):
    wide = ENDS | {"score": [7, 8], "step": [3, 4]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(read(wide, columns={"weight": "score", "time": "step"})) == ([0, 2], [1, 3], [7.0, 8.0], [3, 4])
    with pytest.warns(IgnoredColumnsWarning, match="'score'"):
        assert found(read(wide, columns={"time": "step"})) == ([0, 2], [1, 3], None, [3, 4])


def test_columns_that_are_named_take_their_place_wherever_they_are(read):
    assert found(read({"timestamp": [5], "user": [0], "item": [1]})) == ([0], [1], None, [5])
    assert found(read({"friend": [0], "source": [1]})) == ([1], [0], None, None)
    with pytest.warns(IgnoredColumnsWarning, match="'start', 'end'"):
        assert found(read({"start": [7], "end": [8], "source": [0], "target": [1]})) == ([0], [1], None, None)


def test_unclear_ends(read):
    for names in ("abcd", ("id", "user", "item", "weight"), ("source", "x", "y")):
        with pytest.raises(ParseError, match=r"which columns are the ends.*columns=\{'src'"):
            read({name: [k] for k, name in enumerate(names)})
    with pytest.raises(ParseError, match="needs two"):
        read({"src": [0]})


def test_bad_columns(read):
    for columns, reason in [
        ({"src": "src", "dst": "nosuch"}, "there is no column 'nosuch'; the columns are src, dst"),
        ({"src": "src", "dst": "src"}, "cannot be both"),
        ({"colour": "src"}, "unknown column 'colour'"),
        (("src", "dst", None, "time"), "4 named, the table has 2"),
    ]:
        with pytest.raises(ValueError, match=reason):
            read(ENDS, columns=columns)


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**63 - 1])
def test_large_integers_stay_exact(read, value, tmp_path):
    edges = read(ENDS | {"weight": [value, 3]})
    assert edges.weights.dtype == np.int64 and edges.weights.tolist() == [value, 3]
    assert read(ENDS | {"time": [value, 3]}).times.tolist() == [value, 3]
    write_edges(tmp_path / "again.txt", edges)
    assert read_edges(tmp_path / "again.txt").weights.tolist() == [value, 3]


def test_two_columns_of_one_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[0, 1, 5, 6]], columns=["src", "dst", "w", "w"])
    with pytest.warns(IgnoredColumnsWarning, match="'w'"):
        assert from_table(frame).weights.tolist() == [5.0]
    with pytest.raises(ValueError, match="2 columns are called 'w'"):
        from_table(frame, columns={"src": "src", "dst": "dst", "weight": "w"})


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (np.array([1 + 2j]), "complex128, not numbers"),
        (np.array(["1_0"]), "'1_0' is not a number"),
        (np.array(["0x10"]), "'0x10' is not a number"),
        (np.array([2**64 - 1], dtype=np.uint64), "over the int64 range"),
        (np.array(["2500-01-01"], dtype="datetime64[s]"), "out of the range of nanoseconds"),
        (np.array([[1.0, 2.0]]), "2 dimensions"),
        (np.array([1.0, 2.0]), "time has 2 rows, src has 1"),
        (np.array([[1]], dtype=object)[0:1, 0], None),
    ],
)
def test_values_that_would_change(column, reason):
    table = {"src": [0], "dst": [1], "time": column}
    if reason is None:
        assert from_table(table).times.tolist() == [1]
        return
    with pytest.raises(ParseError, match=f"my table.*{reason}"):
        from_table(table, source="my table")


def test_nullable_integers_are_integers():
    pd = pytest.importorskip("pandas")
    edges = from_table(pd.DataFrame({"src": pd.array([10], dtype="Int64"), "dst": pd.array([2**40], dtype="Int64")}))
    assert edges.ids is None and edges.src.tolist() == [10] and edges.num_vertices == 2**40 + 1
