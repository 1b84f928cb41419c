"""Files that are replaced whole: whoever reads one finds the old contents or the new, never a part of either."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from typing import BinaryIO

NAME_BYTES = 200  # of the target's name that its temporary repeats: file systems allow 255


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str], *, durable: bool = True) -> Iterator[BinaryIO]:
    """Open a file to write, and to read back, that replaces `path` at the end of the ``with`` block.

    If the block raises or the process is killed, the old file stays. The new file has the old one's permissions, and
    replaces the target of a symbolic link. If `durable`, data are on the disk before the old file goes. An OSError
    names the file.

    The target's directory must be writable. Data have no name there until they are complete. On systems without such
    files, a killed process leaves a hidden file ``.name.*.tmp``.
    """
    target = _target(path)
    directory, name = os.path.split(target)
    temporary = os.path.join(directory, f".{os.fsdecode(os.fsencode(name)[:NAME_BYTES])}.{secrets.token_hex(8)}.tmp")
    try:
        with contextlib.ExitStack() as stack:
            folder = os.open(directory, os.O_RDONLY)
            stack.callback(os.close, folder)
            stack.callback(_remove, temporary)
            file, named = _open(directory, temporary)
            stack.enter_context(file)
            with contextlib.suppress(FileNotFoundError):
                _set_permissions(file, os.stat(target))
            yield file
            _flush(file, durable)
            if not named:
                _give_name(file, temporary, folder, durable)
            os.replace(temporary, target)
            if durable:
                with contextlib.suppress(OSError):  # some file systems cannot
                    os.fsync(folder)
    except OSError as error:
        if error.filename in (None, directory, temporary):
            error.filename = os.fspath(path)
        raise


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """`atomic_file` for results, which are written directly to a pipe or a device. An OSError names `path`.

    See Also
    --------
    write_edges : Writes a file through this.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
    else:
        with atomic_file(path) as file:
            yield file


def write_atomically(path: str | os.PathLike[str], data: bytes, *, durable: bool = False) -> None:
    """Write `data` atomically: another process sees the whole file or none of it."""
    with atomic_file(path, durable=durable) as file:
        file.write(data)


def _target(path: str | os.PathLike[str]) -> str:
    """The file to replace, behind all links."""
    try:
        target = os.path.realpath(os.fsdecode(path))
    except TypeError:
        raise TypeError(f"path must be a str or an os.PathLike, not {type(path).__name__}") from None
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return target
    problem = None
    if stat.S_ISDIR(mode):
        problem = errno.EISDIR
    elif not stat.S_ISREG(mode):
        problem = errno.EINVAL
    elif not os.access(target, os.W_OK):
        problem = errno.EACCES
    if problem is not None:
        raise OSError(problem, os.strerror(problem), os.fspath(path))
    return target


def _open(directory: str, temporary: str) -> tuple[BinaryIO, bool]:
    """A new file in the directory, and whether it has a name already."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        try:
            return os.fdopen(os.open(directory, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b"), False
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL):
                raise  # otherwise the file system has no files without names
    return os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666), "w+b"), True


def _flush(file: BinaryIO, durable: bool) -> None:
    file.flush()
    if durable:
        os.fsync(file.fileno())


def _give_name(file: BinaryIO, temporary: str, folder: int, durable: bool) -> None:
    """Let a file without a name have one."""
    try:  # with a directory to start from, which an absolute path makes no use of, Python follows the link in /proc
        os.link(f"/proc/self/fd/{file.fileno()}", temporary, src_dir_fd=folder)
        return
    except OSError:  # some sandboxes do not allow it
        file.seek(0)
    with open(temporary, "xb") as copy:
        _set_permissions(copy, os.fstat(file.fileno()))
        shutil.copyfileobj(file, copy)
        _flush(copy, durable)


def _set_permissions(file: BinaryIO, like: os.stat_result) -> None:
    with contextlib.suppress(PermissionError):
        os.fchown(file.fileno(), like.st_uid, like.st_gid)
    with contextlib.suppress(PermissionError):
        os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
