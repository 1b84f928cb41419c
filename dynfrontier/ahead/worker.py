"""A helper process: ``python -m dynfrontier.ahead.worker JOB NUMBER COUNT`` compiles its share of what a job needs.

It says on its standard output which files of the cache it begins and ends to make. It ends when its standard input
does: then the job is gone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

from frontier.runtime.cpu import cache_file

from .needs import Need, read_list


def main() -> None:
    """Compile every so many kernels, from the end of the list: the job begins at its start."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the job, which ends its helpers
    threading.Thread(target=_end_with_job, daemon=True).start()
    job, number, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for need in read_list()[job][::-1][number::count]:
        _make(need)


def _end_with_job() -> None:
    sys.stdin.read()
    os._exit(0)


def _make(need: Need) -> None:
    dispatcher, types = need.dispatcher()
    file = cache_file(dispatcher, types)
    if file is None or file.exists():
        return
    print("begin", file.name, flush=True)
    dispatcher.compile(types)
    print("end", file.name, flush=True)


if __name__ == "__main__":
    main()
