"""The compiled kernel that turns the bytes of a text file into columns of numbers."""

from __future__ import annotations

import numpy as np
from numba import njit

# Kinds of a column.
ID, NUMBER, SKIP, OPTIONAL_NUMBER = 0, 1, 2, 3

# Outcomes.
OK, WORD, NEGATIVE, OVER_INT64, MISSING, NAN, INFINITE, EXTRA, NOT_INTEGER, BAD_OPERATION, EMPTY_FIELD = range(11)
BELOW, ABOVE = 11, 12

_POWERS = 10.0 ** np.arange(23)  # the powers of ten that float64 holds exactly


@njit(cache=True, nogil=True)
def tokenize(
    buf, start, is_comment, delimiter, kinds, slots, lowest, highest, operations, exact, out, real, is_real, hard, ops
):
    """Parse the lines of `buf` from `start` on.

    Parameters
    ----------
    buf : ndarray of uint8
        Decompressed text.
    start : int
        Offset of the first line to parse.
    is_comment : ndarray of bool, shape (256,)
        Which first characters make a line a comment.
    delimiter : int
        Byte that may stand, once, between two columns besides blanks; -1 for blanks only.
    kinds : ndarray of int64, shape (columns,)
        ID, NUMBER, SKIP or OPTIONAL_NUMBER (may be absent from lines that delete).
    slots : ndarray of int64, shape (columns,)
        Row of `out` for each column.
    lowest, highest : int
        Range of accepted ids.
    operations : bool
        Whether lines start with ``+`` or ``-``.
    exact : bool
        Whether further columns are an error rather than skipped.
    out, real : ndarray of int64 and float64, shape (slots, rows)
        The same memory twice: a column is stored as int64 until its first fractional value, then as float64.
    is_real : ndarray of bool, shape (slots,)
        Set for the columns that ended up as float64.
    hard : ndarray of int64, shape (rows * numbers, 4)
        Row, slot, begin and end of the values that need more than one exact float operation.
    ops : ndarray of int8, shape (rows,)
        The operation character of each row; empty without `operations`.

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
        while i < n and (buf[i] == 32 or (buf[i] >= 9 and buf[i] <= 13 and buf[i] != 10)):
            i += 1
        if i >= n:
            break
        if buf[i] == 10:
            i += 1
            continue
        if is_comment[buf[i]]:
            while i < n and buf[i] != 10:
                i += 1
            continue
        op = 0
        if operations:
            op = buf[i]
            if op != 43 and op != 45:
                return BAD_OPERATION, i, -1, row, hards
            i += 1
            if i < n and buf[i] > 32 and buf[i] != delimiter:
                return BAD_OPERATION, i - 1, -1, row, hards
        column = 0
        separated = operations  # a separator, the one after the operation included, is skipped at the loop's head
        while True:
            while i < n and (buf[i] == 32 or (buf[i] >= 9 and buf[i] <= 13 and buf[i] != 10)):
                i += 1
            if separated and i < n and buf[i] == delimiter:
                i += 1
                while i < n and (buf[i] == 32 or (buf[i] >= 9 and buf[i] <= 13 and buf[i] != 10)):
                    i += 1
            separated = True
            if i >= n or buf[i] == 10:
                break
            if column >= columns:
                if exact:
                    return EXTRA, i, column, row, hards
                while i < n and buf[i] != 10:
                    i += 1
                break
            kind = kinds[column]
            if kind == SKIP:
                while i < n and buf[i] > 32 and buf[i] != delimiter:
                    i += 1
                column += 1
                continue
            if buf[i] == delimiter:
                return EMPTY_FIELD, i, column, row, hards
            begin = i
            negative = buf[i] == 45
            if negative or buf[i] == 43:
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
            if not good or (i < n and buf[i] > 32 and buf[i] != delimiter):
                # Neither a number nor a number alone: name the two words that look like one.
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
                    hard[hards, 2] = begin
                    hard[hards, 3] = i
                    hards += 1
            column += 1
        while column < columns:
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
