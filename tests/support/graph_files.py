"""Graph files unpacked and packed again, with the right checksum, as an attacker can make them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from frontier.core import files


def unpack(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of a file."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    return json.loads(arrays.pop(files.HEADER)), arrays


def pack(path: Path, header: Any, arrays: dict[str, np.ndarray], *, compression: int = zipfile.ZIP_STORED) -> None:
    """Write a file of these. `header` may be text."""
    text = header if isinstance(header, str) else json.dumps(header)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr(files.HEADER, text)
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as entry:
                np.lib.format.write_array(entry, array, allow_pickle=True)
        archive.comment = bytes(files.TRAILER)
    sign(path)


def sign(path: Path) -> None:
    """Put the checksum that belongs to its contents at the end of a file."""
    with open(path, "r+b") as file:
        size = file.seek(0, 2) - files.TRAILER
        digest = files._digest(file, size)
        file.seek(size)
        file.write(files.MARK + digest)
