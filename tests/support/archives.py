"""Archives made of the contents of files."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping


def tar_of(members: Mapping[str, bytes], mode: str = "w:gz", kind: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar file of these files, by name. `mode` and `kind` are the mode and the format of `tarfile.open`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=kind) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()
