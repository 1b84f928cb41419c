"""Builds the documentation. A warning is an error, as is a link to a page or a heading that is not there.

    scripts/docs                 # into docs/_build/html
    scripts/docs --site FOLDER   # into FOLDER/VERSION, next to the other versions, and lists all of them

FOLDER/index.html leads to the newest release. A release is a commit with the tag vVERSION. All other commits are
"development".
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sphinx.cmd.build import build_main
from versions import DOCS, documented, publish

BUILD = DOCS / "_build"
LOADED = re.compile(r'<(?:script|link|img)[^>]*(?:src|href)="(https?:[^"]*)"')
DOCUMENTED = {
    "api/frontier.html": ["frontier.advance"],
    "algorithms/bfs.html": ["algorithms.bfs", "algorithms.DynamicBFS"],
}
"""Some of what pages made from docstrings must have."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/docs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--site", type=Path, metavar="FOLDER", help="add this version to the site in FOLDER")
    site = parser.parse_args().site
    if site is None:
        build(BUILD / "html")
        print(BUILD / "html" / "index.html")
        return
    site.mkdir(parents=True, exist_ok=True)
    version = documented()
    with tempfile.TemporaryDirectory(dir=site, prefix=".building-") as folder:
        # A version is replaced as a whole, and only by one that was built.
        fresh = Path(folder) / "html"
        build(fresh)
        shutil.rmtree(site / version.name, ignore_errors=True)
        fresh.rename(site / version.name)
    publish(site, version)
    print(f"{version.text}: {site / version.name / 'index.html'}")


def build(out: Path) -> None:
    doctrees = BUILD / "doctrees"
    if build_main(["-b", "html", "-W", "--keep-going", "-q", "-d", str(doctrees), str(DOCS), str(out)]):
        # Sphinx warns of a page when it reads it, but not when it is cached.
        shutil.rmtree(doctrees, ignore_errors=True)
        sys.exit("the documentation was not built")
    found = list(faults(out))
    if found:
        sys.exit("\n".join(found))


def faults(out: Path) -> Iterator[str]:
    """Faults of pages. Pages that load something from elsewhere cannot be read offline."""
    for path in sorted(out.rglob("*.html")):
        for url in LOADED.findall(path.read_text(encoding="utf-8")):
            yield f"{path} loads {url}"
    for name, ids in DOCUMENTED.items():
        text = (out / name).read_text(encoding="utf-8")
        yield from (f"{name} does not describe {id}" for id in ids if f'id="{id}"' not in text)


if __name__ == "__main__":
    main()
