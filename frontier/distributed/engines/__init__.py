"""The workers of a distributed graph: a file for each way to start them."""

from .dask import DaskEngine, engine_of_client
from .engine import Engine, Host
from .processes import ProcessEngine
from .threads import ThreadEngine

__all__ = ["DaskEngine", "Engine", "Host", "ProcessEngine", "ThreadEngine", "engine_of_client"]
