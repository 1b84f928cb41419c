"""Kernels for CPUs, compiled by several processes before a job gets to them.

Numba compiles one kernel at a time in a process. What the usual jobs need is known: ``kernels.json`` lists it. When a
job finds the first of its kernels missing, helper processes start to compile the list from its end, while the job goes
through it from the start and compiles what it comes to. They share the cache on disk: the job finds what helpers have
compiled there, and waits for what they have begun. A kernel that is not in the list is compiled by the job.

``python -m dynfrontier.ahead`` writes the list, by running the jobs; a test compares it with what they need.
"""

from .helpers import compile_ahead

__all__ = ["compile_ahead"]
