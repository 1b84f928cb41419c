"""What holds the workers of a distributed graph: a file for each way to start them."""

from .engine import Engine, Host
from .threads import Threads

__all__ = ["Engine", "Host", "Threads"]
