"""Operators over the parts of a graph: each part does its share, and parts exchange what others need."""
