"""Transport of arrays between partitions: communicators, and windows into each other's memory."""
