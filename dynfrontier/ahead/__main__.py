"""Write the list of kernels that jobs need: ``python -m dynfrontier.ahead``."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import frontier as fr

from ..options import PREFERRED
from .needs import LIST, Need, job_name, write_list

TRIANGLES = "triangles"
OTHERS = ("components", "k_truss", "core_number")


def jobs() -> dict[str, tuple[str, str, int]]:
    """Each job of the list by its name: structure, analytic and window.

    They are the main job on every structure, and other analytics on the one that is used when none is named.
    """
    dynamic = [name for name, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)]
    pairs = [(name, TRIANGLES) for name in dynamic] + [(PREFERRED, analytic) for analytic in OTHERS]
    found: dict[str, tuple[str, str, int]] = {}
    for name, analytic in pairs:
        for window in (0, 3):
            timed = window > 0 and fr.structures()[name].can_store_weights
            found.setdefault(job_name(name, analytic, timed=timed), (name, analytic, window))
    return found


def recorded(structure: str, analytic: str, window: int) -> list[Need]:
    """What a job needs, found by a process of its own."""
    command = [sys.executable, "-m", "dynfrontier.ahead.record", structure, analytic, str(window)]
    path = os.pathsep.join(filter(None, (str(LIST.parents[2]), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, check=True, text=True)
    return [Need(*row) for row in json.loads(done.stdout)]


def main() -> None:
    """Record each job."""
    found = {}
    for name, job in jobs().items():
        found[name] = recorded(*job)
        print(f"{name}: {len(found[name])} kernels", flush=True)
    write_list(found)
    print(f"written to {LIST}")


if __name__ == "__main__":
    main()
