"""Small changes to the text of a CUDA header, to be noticed by tests on a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .mutants import Mutant

CHANGES = (
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ 1\b", ""), (r" - 1\b", ""), (r"\bmin\(", "max("),
    (r"\bmax\(", "min("), (r" << ", " >> "), (r" >> ", " << "), (r"\bcontinue;", ";"), (r"\b__syncthreads\(\);", ";"),
    (r"\batomicAdd\(", "atomicSub("), (r"if \(!", "if ("),
)  # fmt: skip

UNTOUCHED = re.compile(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|template *<[^\n]*", re.DOTALL | re.MULTILINE)
"""Comments, directives, and angle brackets that compare nothing."""


def kernel_mutants(text: str) -> list[Mutant]:
    """All mutants of a header's text, which is ASCII."""
    return sorted(_changes(text), key=lambda mutant: mutant.begin)


def _changes(text: str) -> Iterator[Mutant]:
    comments = [match.span() for match in UNTOUCHED.finditer(text)]
    for pattern, new in CHANGES:
        for match in re.finditer(pattern, text):
            if not any(begin <= match.start() < end for begin, end in comments):
                line = text.count("\n", 0, match.start()) + 1
                yield Mutant(line, "kernel", match.start(), match.end(), match.group(), new)
