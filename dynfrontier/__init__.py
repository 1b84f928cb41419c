"""The command line of dynfrontier: the application that puts frontier, structures and algorithms together."""
