"""One workload on every structure: a stream, batches of insertions, deletions and queries, and analytics after each."""

from structures import offer

from .recommend import OBJECTIVES, Recommendation, recommend
from .report import Measured, WorkloadReport
from .runner import Disagreement, run_workload
from .workload import Workload

__all__ = [
    "OBJECTIVES", "Disagreement", "Measured", "Recommendation", "Workload", "WorkloadReport", "recommend",
    "run_workload",
]  # fmt: skip

offer("recommend", recommend)
