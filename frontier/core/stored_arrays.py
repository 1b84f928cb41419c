"""Arrays in archives, ``.npy`` in ZIP without compression, that may come from anywhere.

Their sizes are checked before memory is allocated: none can be larger than its file.
"""

from __future__ import annotations

import math
import zipfile
from typing import Any

import numpy as np

from .invariants import require


def entries_of(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """Return the entries of an archive of `size` bytes by name. ValueError if names repeat, or one is compressed or too
    large."""
    found = archive.infolist()
    entries = {entry.filename: entry for entry in found}
    require(len(entries) == len(found), "it has two entries of one name")
    for name, entry in entries.items():
        plain = entry.compress_type == zipfile.ZIP_STORED and entry.file_size == entry.compress_size
        require(plain and not entry.flag_bits & 1, f"the entry {name!r} is compressed or encrypted")
    require(sum(entry.file_size for entry in found) <= size, "its entries are larger than the file")
    return entries


def read_array(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, dtype: np.dtype, shape: tuple[int | None, ...]
) -> Any:  # fmt: skip
    """Return the array of an entry. ValueError unless it has this type, shape (None for any size) and length."""
    with archive.open(info) as entry:
        require(np.lib.format.read_magic(entry) == (1, 0), f"the array {name} is of an unknown format")
        found_shape, fortran, found_dtype = np.lib.format.read_array_header_1_0(entry)
        left = info.file_size - entry.tell()
    require(found_dtype.str == dtype.str, f"the array {name} is of type {found_dtype.str}, not {dtype.str}")
    fits = len(found_shape) == len(shape) and all(
        size >= 0 and wanted in (None, size) for size, wanted in zip(found_shape, shape, strict=True)
    )
    wanted_shape = tuple("any" if size is None else size for size in shape)
    require(fits and not fortran, f"the array {name} has the shape {found_shape}, not {wanted_shape}")
    require(math.prod(found_shape) * dtype.itemsize == left, f"the array {name} has another size than its header")
    with archive.open(info) as entry:
        return np.lib.format.read_array(entry, allow_pickle=False)
