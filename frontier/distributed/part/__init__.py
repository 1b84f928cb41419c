"""One partition of a distributed graph, and the operations that all partitions make together."""
