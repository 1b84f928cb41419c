"""Operators over the partitions of a graph: each partition does its share, and partitions exchange the results that
other partitions need."""
