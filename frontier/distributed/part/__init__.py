"""One part of a distributed graph, and the operations that all parts make together."""
