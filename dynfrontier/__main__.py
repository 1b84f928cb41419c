"""``python -m dynfrontier``."""

from .cli import app

if __name__ == "__main__":
    app(prog_name="dynfrontier")
