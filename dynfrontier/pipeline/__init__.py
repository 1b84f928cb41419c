"""The pipeline reads a stream, copies it to the device, applies it, and delivers results, all at the same time.

A *source* yields items (`records`, `sources`), which a thread cuts into parts of whole batches and copies to the device
(`staging`). The caller's thread applies them, batch by batch, and runs analytics (`pipeline`). Another thread calls the
callbacks (`analytics.Delivery`). A `Channel` of bounded size connects any two of them (`channel`).
"""

from .batch import PipelineBatch, PipelineError
from .pipeline import Pipeline
from .sources import SocketSource

__all__ = ["Pipeline", "PipelineBatch", "PipelineError", "SocketSource"]
