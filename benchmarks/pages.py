"""Fill README and the documentation with figures of results files: ``python -m benchmarks figures --write``.

A page marks the position of each figure by ``<!-- figure NAME -->`` and ``<!-- /figure -->``: a table, or a number
within a sentence. `figures.FIGURES` has the contents. The pages ``algorithms.md`` and ``papers/README.md`` and the
pictures are made as a whole. Without ``--write`` the command names the pages that are not up to date.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from . import pictures, summary
from .figures import FIGURES
from .papers import command as papers
from .papers.page import PAGE as PAPERS_PAGE
from .results import ROOT

PLACE = re.compile(r"<!-- figure ([a-z0-9-]+) -->(\n?).*?(\n?)<!-- /figure -->", re.DOTALL)
PAGES = (
    "README.md", "docs/benchmarks.md", "docs/performance.md", "docs/choosing.md", "docs/temporal.md",
    "docs/directed.md", "docs/edge_data.md", "docs/names.md", "docs/functors.md", "docs/pipeline.md",
)  # fmt: skip
"""Pages with figures."""


def main(arguments: Sequence[str]) -> int:
    """Rewrite pages, or name the outdated ones. Returns 1 if any are, else 0."""
    line = argparse.ArgumentParser(prog="python -m benchmarks figures", description=__doc__.splitlines()[0])
    line.add_argument("--write", action="store_true", help="rewrite pages and pictures")
    options = line.parse_args(arguments)
    found = pages()
    stale = [path for path, text in found.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'written' if options.write else 'not up to date'}: {path.relative_to(ROOT)}")
        if options.write:
            path.write_text(found[path], encoding="utf-8")
    if options.write:
        pictures.draw_all()
    return int(bool(stale) and not options.write)


def pages() -> dict[Path, str]:
    """All pages with figures, as they should be."""
    found = {ROOT / name: filled((ROOT / name).read_text(encoding="utf-8")) for name in PAGES}
    found[summary.PAGE] = summary.page(summary.load())[0]
    found[PAPERS_PAGE] = papers.page_text()
    return found | pictures.charts()


def filled(text: str) -> str:
    """A page with all figures current."""
    return PLACE.sub(lambda place: _place(place[1], place[2]), text)


def _place(name: str, line_break: str) -> str:
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name!r}; add it to benchmarks.figures.FIGURES")
    return f"<!-- figure {name} -->{line_break}{FIGURES[name]()}{line_break}<!-- /figure -->"
