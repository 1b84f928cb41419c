"""One part of a distributed graph, and what is asked of all parts together."""
