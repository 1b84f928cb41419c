"""Slow readers in plain Python, written from the descriptions of the formats, which refuse every deviation.

They answer with five lists: sources, destinations, weights, times and operations, each None where there is none. They
import nothing of the project.
"""

from __future__ import annotations

import bz2
import datetime
import io
import lzma
import re
import zlib

NAMES = {
    "src": "src source from fromnodeid from_id source_id u start tail i row",
    "dst": "dst dest destination target to tonodeid to_id target_id v end head j col",
    "weight": "weight weights w wgt value val amount cost distance",
    "time": "time times t timestamp ts datetime date when unixtime unixts unix_time",
}
ROLES = {role: names.split() for role, names in NAMES.items()}
LARGEST = 2**63 - 2


class Refused(Exception):
    """The file violates its format."""


def refuse(condition, why):
    if condition:
        raise Refused(why)


def at_line_end(text, at):
    return at >= len(text) or text[at] == "\n" or text[at:] == "\r" or text[at : at + 2] == "\r\n"


def allowed(word, also=""):
    refuse(any((ord(c) < 32 and c not in also) or ord(c) == 127 for c in word), f"a control character in {word!r}")
    return word


def one_field(text, at, mark):
    """A field and the position behind it. Text is split at a mark, or at blanks without one."""
    if text[at : at + 1] == '"':
        match = re.compile(r'"((?:[^"]|"")*)"').match(text, at)
        refuse(match is None, "quotes that are not closed")
        return allowed(match[1], "\t\n\r").replace('""', '"'), match.end()
    end = at
    while not at_line_end(text, end) and text[end] != mark and (mark or text[end] not in " \t"):
        end += 1
    return allowed(text[at:end].rstrip(" \t"), "\t"), end


def one_line(text, at, mark):
    """The fields of the line at a position, without empty ones at the end, and the position of the next line."""
    blank = " \t".replace(mark or " \n", "") if mark else " \t"
    fields = []

    def skip(at):
        while at < len(text) and text[at] in blank:
            at += 1
        return at

    at = skip(at)
    while not at_line_end(text, at):
        word, at = one_field(text, at, mark)
        fields.append(word)
        after = skip(at)
        if at_line_end(text, after):
            at = after
            break
        refuse(text[after] != mark if mark else after == at, "something behind a field")
        at = skip(after + 1) if mark else after
    while fields and not fields[-1]:
        fields.pop()
    newline = text.find("\n", at)
    return fields, len(text) if newline < 0 else newline + 1


def rows_of(text, at, mark, comments="#%"):
    """The fields of each row, and whether a comment stands behind the first of them."""
    rows, inner = [], False
    while at < len(text):
        begin = at
        while begin < len(text) and text[begin] in (" \t" if mark != "\t" else " "):
            begin += 1
        if at_line_end(text, begin):
            newline = text.find("\n", begin)
            at = len(text) if newline < 0 else newline + 1
        elif text[begin] in comments:
            inner = inner or bool(rows)
            newline = text.find("\n", begin)
            at = len(text) if newline < 0 else newline + 1
        else:
            fields, at = one_line(text, at, mark)
            rows.append(fields)
    return rows, inner


def first_line(text, comments="#%"):
    for line in text.split("\n"):
        if line.strip(" \t\r") and line.strip(" \t\r")[0] not in comments:
            return line
    return ""


def decoded(word):
    try:
        return word.encode("latin-1").decode()
    except UnicodeDecodeError as error:
        raise Refused(str(error)) from None


def integer(word, lowest=0, highest=LARGEST):
    refuse(not re.fullmatch(r"\+?[0-9]+", word), f"{word!r} is no id")
    refuse(not lowest <= int(word) <= highest, f"{word!r} is out of range")
    return int(word)


def number(word):
    refuse(not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", word), f"{word!r} is no number")
    refuse(float(word) in (float("inf"), float("-inf")), f"{word!r} overflows")
    if re.fullmatch(r"[+-]?[0-9]+", word) and abs(int(word)) < 2**63:
        return int(word)
    return float(word)


def numbers(words):
    found = [number(word) for word in words]
    return found if all(isinstance(value, int) for value in found) else [float(value) for value in found]


def date(word):
    match = re.fullmatch(
        r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?"
        r"\s?(Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?", word,
    )  # fmt: skip
    refuse(match is None, f"{word!r} is no date")
    day, minute, second, fraction, zone = match.groups()
    try:
        when = datetime.datetime.fromisoformat(f"{day}T{minute or '00:00'}:{second or '00'}+00:00")
    except ValueError as error:
        raise Refused(str(error)) from None
    refuse(not 1678 <= when.year < 2262, "year")
    if zone not in (None, "Z", "UTC"):
        hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
        refuse(hours > 23 or minutes > 59, "zone")
        when -= (-1 if zone[0] == "-" else 1) * datetime.timedelta(hours=hours, minutes=minutes)
    seconds = (when - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(seconds=1)
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0"))


def is_number(word):
    return re.match(r"[-+.]?[0-9]", word) is not None


def roles_of(names):
    """The role of each named column, by the best name of each role."""
    roles = [None] * len(names)
    for role, known in ROLES.items():
        ranks = [(known.index(n), k) for k, name in enumerate(names) if (n := name.strip(' \t"').lower()) in known]
        if ranks:
            roles[min(ranks)[1]] = role
    return roles


def resolved(names):
    """Roles of all columns, including columns without a telling name."""
    refuse(len(names) < 2, "one column")
    roles = roles_of(names)
    known = [any(name.strip(' \t"').lower() in words for words in ROLES.values()) for name in names]
    missing = [role for role in ("src", "dst") if role not in roles]
    plain = [k for k, there in enumerate(known) if not there]
    if len(missing) == 2 and len(plain) == 3 and "weight" not in roles and "time" not in roles:
        missing.append("third")
    refuse(missing and len(plain) != len(missing), "unclear ends")
    for k, role in zip(plain, missing, strict=False):
        roles[k] = role
    return roles


def columns_of(rows, roles, named=False, base=0, highest=LARGEST, real=False):
    """Sources, destinations, weights and times of rows whose columns have these roles, with weights as reals if
    `real`."""
    for row in rows:
        refuse(len(row) > len(roles), f"more than {len(roles)} columns: {row}")
        for role, word in zip(roles, [*row, *[""] * len(roles)], strict=False):
            refuse(role is not None and not word, f"the {role} is missing: {row}")
    at = {role: [row[k] for row in rows] for k, role in enumerate(roles) if role is not None}
    if "third" in at:
        words = at.pop("third")
        if words and re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", words[0]):
            at["time"] = words
        else:
            values = numbers(words)
            is_time = values and all(isinstance(value, int) and value >= 10**8 for value in values)
            at["time" if is_time else "weight"] = words
    times = at.get("time")
    if times is not None:
        dates = times and re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", times[0])
        times = [date(word) for word in times] if dates else numbers(times)
    ends = [
        [decoded(word) for word in at[end]] if named
        else [integer(word, base, highest + base if highest < LARGEST else highest) - base for word in at[end]]
        for end in ("src", "dst")
    ]  # fmt: skip
    weights = numbers(at["weight"]) if "weight" in at else None
    return *ends, [float(value) for value in weights] if real and weights else weights, times, None


def read_text(data, table=False):
    refuse(data[:2] in (b"\xff\xfe", b"\xfe\xff"), "UTF-16")
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    line = first_line(text)
    refuse(re.match(r"[ \t]*[+-]([ \t\r,;|]|$)", line), "operations")
    mark = "," if "," in line else "\t" if table and "\t" in line.strip() else ""
    rows, inner = rows_of(text, 0, mark)
    if not rows:
        return [], [], None, None, None
    header = None
    if not is_number(rows[0][0] if rows[0] else ""):
        roles = roles_of(rows[0])
        integers = len(rows) > 1 and sum(re.fullmatch("[0-9]+", word) is not None for word in rows[1]) >= 2
        if ("src" in roles and "dst" in roles) or (table and integers):
            header, rows = rows[0], rows[1:]
            if not rows:
                return [], [], *("" if role in resolved(header) else None for role in ("weight", "time")), None
        else:
            refuse(True, "a line of words")
    if header is not None:
        roles = resolved(header)
    else:
        width = len(rows[0])
        refuse(width > 4, "too many columns")
        roles = ["src", "dst", *{3: ["third"], 4: ["weight", "time"]}.get(width, [])]
    first = dict(zip(roles, rows[0], strict=False))
    named = (table or header is not None) and any(
        first.get(end) and not is_number(first[end]) for end in ("src", "dst")
    )
    refuse(named and inner, "a comment among names")
    if named and len(rows) > 1:
        k = [roles.index("src"), roles.index("dst")]
        refuse(all(re.fullmatch("[0-9]+", "".join(row[i : i + 1])) for row in rows[1:] for i in k), "the first alone")
    return columns_of(rows, roles, named)


def read_csv(data):
    return read_text(data, table=True)


def read_matrix_market(data):
    lines = data.decode("latin-1").split("\n")
    head = lines[0].removesuffix("\r").lower().split()
    refuse(len(head) != 5 or head[:3] != ["%%matrixmarket", "matrix", "coordinate"], "header")
    refuse(head[3] not in ("pattern", "real", "integer") or head[4] not in ("general", "symmetric"), "header")
    at = len(lines[0]) + 1
    for line in lines[1:]:
        at += len(line) + 1
        bare = line.strip(" \t\r")
        if bare and bare[0] != "%":
            break
    else:
        raise Refused("no size line")
    size = [word for word in re.split("[ \t]+", bare) if word]
    refuse(len(size) != 3 or not all(re.fullmatch("[0-9]{1,19}", word) for word in size), "size line")
    n, m, entries = map(int, size)
    rows, _ = rows_of(data.decode("latin-1"), at, "")
    refuse(n != m or len(rows) != entries, "size")
    roles = ["src", "dst", *["weight"] * (head[3] != "pattern")]
    return columns_of(rows, roles, base=1, highest=n - 1, real=head[3] == "real")


def read_headerless(data):
    text = data.decode("latin-1")
    rows, _ = rows_of(text, 0, "," if "," in first_line(text) else "")
    roles = ["src", "dst", *{3: ["third"], 4: ["weight", "time"]}.get(len(rows[0]) if rows else 2, [])]
    return columns_of(rows, roles, base=1)


def read_jlg(data):
    text = data.decode("latin-1")
    head = [field.strip(" \t\r") for field in text.split("\n")[0].split(",")]
    refuse(len(head) < 3 or head[2] not in ("u", "d"), "header")
    refuse(not all(re.fullmatch("[0-9]{1,19}", word) for word in head[:2]), "header")
    rows, _ = rows_of(text, len(text.split("\n")[0]) + 1, ",")
    refuse(len(rows) != int(head[1]), "number of edges")
    roles = ["src", "dst", *{3: ["third"], 4: ["weight", "time"]}.get(len(rows[0]) if rows else 2, [])]
    return columns_of(rows, roles, base=1, highest=int(head[0]) - 1)


def read_operations(data):
    refuse(data[:2] in (b"\xff\xfe", b"\xfe\xff"), "UTF-16")
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    mark = "," if "," in first_line(text) else ""
    rows, _ = rows_of(text, 0, "")
    refuse(mark != "", "commas")
    ops = [row[0] for row in rows]
    refuse(any(op not in ("+", "-") for op in ops), "operation")
    rows = [row[1:] for row in rows]
    width = next((len(row) for op, row in zip(ops, rows, strict=True) if op == "+"), 0)
    refuse(width > 4, "too many columns")
    roles = ["src", "dst", *{3: ["third"], 4: ["weight", "time"]}.get(width, [])]
    for op, row in zip(ops, rows, strict=True):
        if op == "-" and width == 3 and len(row) == 2:
            row.append("0")
    return *columns_of(rows, roles)[:4], ops


def members_of(data):
    """Regular files of a plain ustar archive."""
    found, at = {}, 0
    while True:
        header = data[at : at + 512]
        refuse(len(header) < 512, "no end mark")
        if header == bytes(512):
            return found
        said = re.fullmatch(rb"[ \0]*([0-7]+)[ \0]*", header[148:156])
        size = re.fullmatch(rb" *([0-7]*)[ \0]*", header[124:136])
        refuse(said is None or size is None, "header")
        refuse(int(said[1], 8) != sum(header[:148]) + 8 * 32 + sum(header[156:]), "checksum")
        name, length = header[:100].split(b"\0")[0].decode("latin-1"), int(size[1] or b"0", 8)
        refuse(at + 512 + length > len(data), "cut")
        if header[156:157] in b"0\0":
            found[name] = data[at + 512 : at + 512 + length]
        at += 512 + (length + 511) // 512 * 512


def read_one_tar(data):
    files = members_of(data)
    refuse(len(files) != 1, "members")
    return read_text(*files.values())


def read_ldbc_tar(data):
    files = members_of(data)
    pairs = [line.split("=", 1) for line in files.get("t.properties", b"").decode("latin-1").split("\n") if "=" in line]
    said = {key.strip(): value.strip() for key, value in pairs if not key.lstrip().startswith(("#", "!"))}
    refuse("t.properties" in files and "t.e" not in said.values(), "edge file")
    rows, _ = rows_of(files["t.e"].decode("latin-1"), 0, "")
    roles = ["src", "dst", *["weight"] * (bool(rows) and len(rows[0]) == 3)]
    src, dst, weight, time, _ = columns_of(rows, roles, real=True)
    present = sorted({*src, *dst})
    if "t.v" in files:
        lines, _ = rows_of(files["t.v"].decode("latin-1"), 0, "", "")
        present = [integer(row[0]) for row in lines]
        refuse(len(set(present)) != len(present) or not {*src, *dst} <= set(present), "vertices")
    for key, count in (("graph.t.meta.vertices", len(present)), ("graph.t.meta.edges", len(src))):
        refuse(said.get(key, str(count)) != str(count), key)
    return src, dst, weight, time, None


def read_arrow(data):
    """By pyarrow's own conversion to Python, and the conditions on the values."""
    import pyarrow.feather as feather
    import pyarrow.parquet as parquet

    file = io.BytesIO(data)
    if data[:4] == b"PAR1":
        table = parquet.ParquetFile(file, page_checksum_verification=True).read()
    else:
        table = feather.read_table(file)
    roles = resolved(table.column_names)
    at = {role: table.column(k).to_pylist() for k, role in enumerate(roles) if role is not None}
    src, dst = at["src"], at["dst"]
    refuse(not all(isinstance(v, int) and 0 <= v <= LARGEST for v in (*src, *dst)), "ends")
    weight, time = at.get("weight"), at.get("time")
    if "third" in at:
        times = at["third"] and all(isinstance(value, int) and value >= 10**8 for value in at["third"])
        weight, time = (None, at["third"]) if times else (at["third"], None)
    for column in filter(None, (weight, time)):
        refuse(not all(isinstance(v, int | float) and abs(v) < float("inf") for v in column), "numbers")
    return src, dst, weight, time, None


def unpacked(data, magic, new):
    """All streams of compressed data, followed only by zeros."""
    found = b""
    while data.strip(b"\0") or not found:
        refuse(not data.startswith(magic), "no stream")
        stream = new()
        try:
            found += stream.decompress(data)
        except (zlib.error, lzma.LZMAError, OSError, ValueError) as error:
            raise Refused(str(error)) from None
        refuse(not stream.eof, "cut")
        data = stream.unused_data
    return found


def read_gzip(data):
    return read_text(unpacked(data, b"\x1f\x8b", lambda: zlib.decompressobj(31)))


def read_xz(data):
    return read_text(unpacked(data, b"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)))


def read_bzip2(data):
    return read_text(unpacked(data, b"BZh", bz2.BZ2Decompressor))
