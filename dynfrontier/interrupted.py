"""What is left of a run that the user interrupts."""

from __future__ import annotations

from typing import Any

EXIT_CODE = 130
"""Of a command that SIGINT ended, as in shells."""


class Interrupted(KeyboardInterrupt):
    """An interrupt, with what had been found until then.

    Parameters
    ----------
    found : object
        The result, marked as interrupted, without what was not finished.
    """

    def __init__(self, found: Any):
        super().__init__("interrupted")
        self.found = found
