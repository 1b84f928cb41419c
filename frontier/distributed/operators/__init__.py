"""Operators over the parts of a graph: each part does its share, and parts exchange the results that other parts
need."""
