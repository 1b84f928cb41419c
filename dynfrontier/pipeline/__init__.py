"""The pipeline: a stream is read and copied to the device, applied, and its results delivered, all at the same time.

A *source* yields items (`records`, `sources`), which a thread cuts into parts of whole batches (`batches`) and places
on the device (`staging`). The caller's thread applies them, batch by batch, and runs analytics (`pipeline`). Another
thread calls the callbacks with what came out (`delivery`). Between any two of them there is a `Channel` of bounded
size (`channel`).
"""

from .batch import PipelineBatch
from .errors import PipelineError
from .pipeline import Pipeline
from .sources import SocketSource

__all__ = ["Pipeline", "PipelineBatch", "PipelineError", "SocketSource"]
