"""The compiled kernel that turns the bytes of a text file into columns of numbers and of words."""

import numpy as np

from frontier.runtime import cpu_kernel, jit

# Kinds of a column.
ID, NUMBER, SKIP, OPTIONAL_NUMBER, TEXT = range(5)

# Outcomes.
OK, WORD, NEGATIVE, OVER_INT64, MISSING, NAN, INFINITE, EXTRA, NOT_INTEGER, BAD_OPERATION, EMPTY_FIELD = range(11)
BELOW, ABOVE, CONTROL, QUOTE, COMMENT, UNCLOSED, LONG = range(11, 18)

# The position of a byte in a row. See `after_records`.
AT_START, BEFORE_RECORD, BEFORE_FIELD, IN_WORD, IN_QUOTES, AT_QUOTE, IN_COMMENT = range(7)

_POWERS = 10.0 ** np.arange(23)  # the powers of ten that are exact in float64


@jit(forceinline=True)
def _line_ends(buf, i, n):
    """Return whether a line ends at `i`: with a newline, a carriage return before one, or the end of the file."""
    return i >= n or buf[i] == 10 or (buf[i] == 13 and (i + 1 == n or buf[i + 1] == 10))


@jit(forceinline=True)
def _field_ends(buf, i, n, delimiter):
    """Return whether a number ends at `i`."""
    return _line_ends(buf, i, n) or buf[i] == 32 or buf[i] == 9 or buf[i] == delimiter


@jit(forceinline=True)
def _after_blanks(buf, i, n, delimiter):
    """Return the position of the first byte from `i` on that is no blank. A tab that separates columns is none."""
    while i < n and (buf[i] == 32 or buf[i] == 9) and buf[i] != delimiter:
        i += 1
    return i


@jit
def _after_word(buf, i, n, delimiter, multiline, stop):
    """Read a word, quoted or not: outcome, position after it (of the fault), its start and end, doubled quotes.

    Quotes must be closed before `stop`, which is at most `n`, and on the same line, unless `multiline`.
    """
    doubled = False
    if buf[i] == 34:
        i += 1
        begin = i
        while i < stop and (buf[i] != 34 or (i + 1 < n and buf[i + 1] == 34)) and (buf[i] != 10 or multiline):
            if (buf[i] < 32 and buf[i] != 9 and buf[i] != 10 and buf[i] != 13) or buf[i] == 127:
                return CONTROL, i, begin, i, doubled
            doubled |= buf[i] == 34
            i += 2 if buf[i] == 34 else 1
        if i >= stop or (buf[i] == 10 and not multiline):
            return UNCLOSED, begin - 1, begin, i, doubled
        end = i
        i += 1
        if not _field_ends(buf, i, n, delimiter):
            return QUOTE, begin - 1, begin, end, doubled
        return OK, i, begin, end, doubled
    begin = i
    while not _line_ends(buf, i, n) and buf[i] != delimiter:
        if buf[i] == 32 or buf[i] == 9:
            if delimiter < 0:
                break
        elif buf[i] < 32 or buf[i] == 127:
            return CONTROL, i, begin, i, doubled
        i += 1
    end = i
    while end > begin and (buf[end - 1] == 32 or buf[end - 1] == 9):
        end -= 1
    return OK, i, begin, end, doubled


@cpu_kernel
def after_records(buf, state, delimiter, is_comment, operations):
    """Find the last row that ends in a piece of a text in which quotes may join lines.

    `buf` (uint8) is the piece. `state` is the result of the last call, `AT_START` at first. The other parameters are as
    in `tokenize`. Returns the position behind the last row, 0 if none ends here, and the state at the end.
    """
    end = 0
    for i in range(len(buf)):
        c = buf[i]
        if state == IN_QUOTES:
            if c == 34:
                state = AT_QUOTE
        elif c == 10:
            end, state = i + 1, BEFORE_RECORD
        elif state == IN_WORD:
            if c == delimiter or (delimiter < 0 and (c == 32 or c == 9)):
                state = BEFORE_FIELD
        elif state == IN_COMMENT or (state == AT_START and (c == 0xEF or c == 0xBB or c == 0xBF)):
            pass  # the byte order mark of UTF-8
        elif state == AT_QUOTE:
            if c == 34:  # a doubled one
                state = IN_QUOTES
            elif c == delimiter or (delimiter < 0 and (c == 32 or c == 9)):
                state = BEFORE_FIELD
            else:
                state = IN_WORD
        elif state <= BEFORE_RECORD and is_comment[c]:
            state = IN_COMMENT
        elif c == delimiter:
            state = BEFORE_FIELD
        elif c == 32 or c == 9:
            pass
        elif state <= BEFORE_RECORD and operations and (c == 43 or c == 45):
            state = BEFORE_FIELD
        else:
            state = IN_QUOTES if c == 34 else IN_WORD
    return end, state


@cpu_kernel
def tokenize(
    buf, start, is_comment, inner_comments, delimiter, multiline, longest, kinds, slots, lowest, highest, operations,
    exact, padded, out, real, is_real, hard, ends, ops
):  # fmt: skip
    """Parse the lines of `buf` from `start` on.

    A line ends with a newline, with or without a carriage return before it. Blanks are spaces and tabs, and no other
    control characters. A field may stand in double quotes, a quote within doubled.

    Parameters
    ----------
    buf : ndarray of uint8
        Decompressed text.
    start : int
        Offset of the first line to parse.
    is_comment : ndarray of bool, shape (256,)
        Which first characters make a line a comment.
    inner_comments : bool
        Whether comments may stand among the rows. Otherwise they are an error.
    delimiter : int
        Byte that stands, once, between two columns, with or without blanks around it, or -1 if blanks separate columns.
    multiline : bool
        Whether a field in quotes of a column of words, or of a skipped column, may contain line ends.
    longest : int
        Most bytes of a row.
    kinds : ndarray of int64, shape (columns,)
        ID, NUMBER, SKIP, OPTIONAL_NUMBER (may be absent from lines that delete) or TEXT.
    slots : ndarray of int64, shape (columns,)
        Row of `out` for each column.
    lowest, highest : int
        Range of accepted ids.
    operations : bool
        Whether lines start with ``+`` or ``-``.
    exact : bool
        Whether further columns are an error rather than skipped. Empty ones never are.
    padded : ndarray of int64, shape (1,)
        Set, if it is negative, to the position of the first id that is written with a plus sign or leading zeros.
    out, real : ndarray of int64 and float64, shape (slots, rows)
        The same memory twice: a column is int64 until its first fractional value, then float64. For a word, the
        position of its first byte, inverted if it contains doubled quotes.
    is_real : ndarray of bool, shape (slots,)
        Set for the columns that ended up as float64.
    hard : ndarray of int64, shape (rows * numbers, 4)
        Row, slot, start and end of the values that need more than one exact float operation.
    ends : ndarray of int64, shape (slots, rows)
        For a word, the position behind its last byte. Empty without TEXT.
    ops : ndarray of int8, shape (rows,)
        The operation character of each row. Empty without `operations`.

    Returns
    -------
    tuple of int
        Outcome, position of the offending byte, column, rows parsed, entries of `hard`.
    """
    n = len(buf)
    columns = len(kinds)
    i = start
    row = 0
    hards = 0
    while i < n:
        line = i
        i = _after_blanks(buf, i, n, delimiter)
        if _line_ends(buf, i, n):
            if i - line > longest:
                return LONG, line, -1, row, hards
            i += 1 if i >= n or buf[i] == 10 else 2
            continue
        if is_comment[buf[i]]:
            if not inner_comments:
                return COMMENT, i, -1, row, hards
            while i < n and buf[i] != 10:
                i += 1
            if i - line > longest:
                return LONG, line, -1, row, hards
            i += 1
            continue
        op = 0
        if operations:
            op = buf[i]
            if op != 43 and op != 45:
                return BAD_OPERATION, i, -1, row, hards
            i += 1
            if not _field_ends(buf, i, n, delimiter):
                return BAD_OPERATION, i - 1, -1, row, hards
            i = _after_blanks(buf, i, n, delimiter)
            if i < n and buf[i] == delimiter:
                i += 1
        column = 0
        while True:
            i = _after_blanks(buf, i, n, delimiter)
            if _line_ends(buf, i, n):
                break
            kind = SKIP
            if column < columns:
                kind = kinds[column]
            elif exact and buf[i] != delimiter:
                return EXTRA, i, column, row, hards
            begin = i
            if kind in (SKIP, TEXT):
                status, i, first, end, doubled = _after_word(buf, i, n, delimiter, multiline, min(n, line + longest))
                if status != OK:
                    return status, i, column, row, hards
                if kind == TEXT:
                    if first == end:
                        return EMPTY_FIELD, begin, column, row, hards
                    out[slots[column], row] = ~first if doubled else first
                    ends[slots[column], row] = end
            else:
                if buf[i] == delimiter:
                    return EMPTY_FIELD, i, column, row, hards
                quoted = buf[i] == 34
                if quoted:
                    i += 1
                number = i
                negative = i < n and buf[i] == 45
                if negative or (i < n and buf[i] == 43):
                    i += 1
                first = i
                mantissa = np.int64(0)
                digits = 0
                exponent = 0
                fits = True
                integer = True
                while i < n and buf[i] >= 48 and buf[i] <= 57:
                    digit = np.int64(buf[i]) - 48
                    if mantissa < 922337203685477580 or (mantissa == 922337203685477580 and digit <= 7):
                        mantissa = mantissa * 10 + digit
                    else:
                        fits = False
                    digits += 1
                    i += 1
                if i < n and buf[i] == 46:
                    integer = False
                    i += 1
                    while i < n and buf[i] >= 48 and buf[i] <= 57:
                        if fits and mantissa < 922337203685477580:
                            mantissa = mantissa * 10 + (np.int64(buf[i]) - 48)
                            exponent -= 1
                        elif buf[i] != 48:
                            fits = False
                        digits += 1
                        i += 1
                good = digits > 0
                if good and i < n and (buf[i] == 101 or buf[i] == 69):
                    integer = False
                    i += 1
                    minus = i < n and buf[i] == 45
                    if minus or (i < n and buf[i] == 43):
                        i += 1
                    power = 0
                    good = False
                    while i < n and buf[i] >= 48 and buf[i] <= 57:
                        if power < 100000:
                            power = power * 10 + (np.int64(buf[i]) - 48)
                        good = True
                        i += 1
                    exponent += -power if minus else power
                stop = i
                if quoted:
                    good = good and i < n and buf[i] == 34
                    i += 1
                if good and _field_ends(buf, i, n, delimiter):
                    i = _after_blanks(buf, i, n, delimiter)
                    good = delimiter < 0 or _line_ends(buf, i, n) or buf[i] == delimiter
                else:
                    good = False
                if not good:
                    # The field is not only a number: name the two words that look like one.
                    if kind != ID and first + 2 < n:
                        a, b, c = buf[first] | 32, buf[first + 1] | 32, buf[first + 2] | 32
                        if a == 110 and b == 97 and c == 110:
                            return NAN, begin, column, row, hards
                        if a == 105 and b == 110 and c == 102:
                            return INFINITE, begin, column, row, hards
                    return WORD, begin, column, row, hards
                slot = slots[column]
                if kind == ID:
                    if not integer:
                        return NOT_INTEGER, begin, column, row, hards
                    if negative:
                        return NEGATIVE, begin, column, row, hards
                    if not fits:
                        return OVER_INT64, begin, column, row, hards
                    if mantissa < lowest:
                        return BELOW, begin, column, row, hards
                    if mantissa > highest:
                        return ABOVE, begin, column, row, hards
                    out[slot, row] = mantissa
                    if padded[0] < 0 and (first > number or (digits > 1 and buf[first] == 48)):
                        padded[0] = number
                elif integer and fits and not is_real[slot]:
                    out[slot, row] = -mantissa if negative else mantissa
                else:
                    if not is_real[slot]:
                        for r in range(row):
                            real[slot, r] = float(out[slot, r])
                        is_real[slot] = True
                    if fits and (integer or (mantissa <= 9007199254740992 and exponent >= -22 and exponent <= 22)):
                        # One correctly rounded operation on exact operands, so the result is the nearest float64.
                        value = float(mantissa)
                        if exponent < 0:
                            value /= _POWERS[-exponent]
                        elif exponent > 0:
                            value *= _POWERS[exponent]
                        real[slot, row] = -value if negative else value
                    else:
                        hard[hards, 0] = row
                        hard[hards, 1] = slot
                        hard[hards, 2] = number
                        hard[hards, 3] = stop
                        hards += 1
            column += 1
            i = _after_blanks(buf, i, n, delimiter)
            if _line_ends(buf, i, n):
                break
            if delimiter >= 0:
                if buf[i] != delimiter:
                    return QUOTE, begin, column - 1, row, hards
                i += 1
        if i - line > longest:
            return LONG, line, -1, row, hards
        i += 1 if i >= n or buf[i] == 10 else 2
        while column < columns:
            if kinds[column] != SKIP:
                if op != 45 or kinds[column] != OPTIONAL_NUMBER:
                    return MISSING, line, column, row, hards
                slot = slots[column]
                if is_real[slot]:
                    real[slot, row] = 0.0
                else:
                    out[slot, row] = 0
            column += 1
        if operations:
            ops[row] = op
        row += 1
    return OK, n, -1, row, hards
