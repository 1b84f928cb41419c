"""The parts of every graph, whatever its structure. They name no structure and no feature."""
