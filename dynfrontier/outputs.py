"""Files that commands write: checked before anything runs, and written wholly or not at all."""

from __future__ import annotations

import csv
import errno
import io
import itertools
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .console import fail, user_errors


def check_outputs(source: Path | None = None, **outputs: Path | None) -> None:
    """Fail if a file of `outputs`, by option, cannot be written later, or is the `source` that the command reads."""
    given = {name: path for name, path in outputs.items() if path is not None}
    for name, path in given.items():
        if reason := _obstacle(path):
            fail(f"{path}: {reason}")
        for other, there in ({"the input": source} | given).items():
            if other == name:
                break
            if there is not None and path.exists() and there.exists() and path.samefile(there):
                fail(f"--{name} {path} is {other if other == 'the input' else '--' + other}, too")
            if there is not None and other != "the input" and path.absolute() == there.absolute():
                fail(f"--{name} and --{other} both name {path}")


def _obstacle(path: Path) -> str:
    """Why a file cannot be written, or ""."""
    try:
        folder = Path(os.path.realpath(path)).parent
        if path.is_dir():
            return os.strerror(errno.EISDIR)
        if path.exists() and not path.is_file():
            return "" if os.access(path, os.W_OK) else os.strerror(errno.EACCES)
        if not folder.exists():
            return os.strerror(errno.ENOENT)
        if not folder.is_dir():
            return os.strerror(errno.ENOTDIR)
        writable = os.access(folder, os.W_OK | os.X_OK) and (not path.exists() or os.access(path, os.W_OK))
        return "" if writable else os.strerror(errno.EACCES)
    except OSError as error:
        return error.strerror or str(error)


def write_text(path: Path, text: str) -> None:
    from frontier.io import replacing

    with replacing(path) as file:
        file.write(text.encode())


def write_json(path: Path | None, found: Any) -> None:
    """Write a JSON file, if one is named. An OSError becomes an error of the command (`user_errors`)."""
    if path is not None:
        with user_errors(OSError):
            write_text(path, json.dumps(found, indent=2) + "\n")


def write_rows(path: Path, header: tuple[str, ...], rows: Iterable[tuple]) -> None:
    """Write a CSV file. Errors as in `write_json`."""
    from frontier.io import replacing

    with user_errors(OSError), replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        csv.writer(text, lineterminator="\n").writerows(itertools.chain([header], rows))
        text.detach()  # flushes it. `replacing` closes the file


def check_picture(path: Path | None) -> None:
    """Fail unless matplotlib is installed and can draw the format of a file name."""
    if path is None:
        return
    _check_matplotlib("--plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    known = FigureCanvasAgg.get_supported_filetypes()
    if picture_format(path) not in known:
        wanted = picture_format(path)
        fail(f"{path}: no picture can be drawn as {wanted!r}; choose from {', '.join(sorted(known))}")


def check_page(path: Path | None) -> None:
    """Fail unless matplotlib is installed and the name of a file suits a page."""
    if path is None:
        return
    _check_matplotlib("--report")
    if path.suffix.lower() not in ("", ".html", ".htm"):
        fail(f"--report {path}: the report is a page of HTML; name it {path.with_suffix('.html').name}")


def _check_matplotlib(option: str) -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        fail(f"{option} needs matplotlib: pip install matplotlib (or dynfrontier[plot])")


def picture_format(path: Path) -> str:
    return path.suffix[1:].lower() or "png"


def save_picture(figure: object, path: Path, dpi: int) -> None:
    from frontier.io import replacing

    with replacing(path) as file:
        figure.savefig(file, dpi=dpi, format=picture_format(path))  # type: ignore[attr-defined]
