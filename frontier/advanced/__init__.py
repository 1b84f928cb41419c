"""What authors of algorithms need beyond operators and frontiers."""

from . import arguments

__all__ = ["arguments"]
