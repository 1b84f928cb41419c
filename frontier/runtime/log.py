"""The one logger of the project, ``logging.getLogger("dynfrontier")``.

It is silent unless the program configures logging. What a user can act upon is a warning (`warnings.warn`) or an error.
"""

from __future__ import annotations

import logging

logger = logging.getLogger("dynfrontier")
logger.addHandler(logging.NullHandler())
