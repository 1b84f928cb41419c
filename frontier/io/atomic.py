"""Writing a file so that it is there wholly or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Give a file to write that takes the place of another when the ``with`` block ends well.

    Until then the old file, if any, stays as it is; if the block raises, it stays for good.

    Parameters
    ----------
    path : str or path-like
        The file to replace. What is no regular file, such as a pipe, is written directly.

    Yields
    ------
    Path
        A new file beside it, of the same suffixes.

    Raises
    ------
    OSError
        If it cannot be written, naming `path`.
    """
    target = Path(os.path.realpath(path))  # so that a link stays one
    if target.exists() and not target.is_file():
        yield target
        return
    part = target.with_name(f".{os.getpid()}-{target.name}")
    try:
        try:
            yield part
            with part.open("rb") as file:
                os.fsync(file.fileno())
            if target.exists():
                part.chmod(target.stat().st_mode)
            part.replace(target)
        except OSError as error:
            if error.filename is None or str(error.filename) == str(part):
                raise type(error)(error.errno, error.strerror or str(error), str(path)) from error
            raise
    finally:
        with suppress(OSError):
            part.unlink()
