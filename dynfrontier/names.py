"""The two names that some analytics have: that of the function in `algorithms`, and a shorter one."""

SHORT_NAMES = {"components": "connected_components", "triangles": "triangle_count"}
"""The function's name by the shorter one."""
LONG_NAMES = {long: short for short, long in SHORT_NAMES.items()} | {
    f"dynamic_{long}": f"dynamic_{short}" for short, long in SHORT_NAMES.items()
}
"""The shorter name, which workloads use, by the function's, and the same of those that are incremental."""
