"""The one logger of the project, ``logging.getLogger("dynfrontier")``.

It is silent unless the program configures logging. Messages that a user can act upon are a warning (`warnings.warn`) or
an error.
"""

import logging

logger = logging.getLogger("dynfrontier")
logger.addHandler(logging.NullHandler())
