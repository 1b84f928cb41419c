"""``python -m dynfrontier.prebuilt`` (see `build`)."""

from .build import main

if __name__ == "__main__":
    raise SystemExit(main())
