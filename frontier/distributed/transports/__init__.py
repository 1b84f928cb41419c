"""What carries arrays between parts: a file for each library, imported when it is asked for."""
