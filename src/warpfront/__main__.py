"""`python -m warpfront`: the same as the command `warpfront`."""

from __future__ import annotations

from warpfront.cli import main

if __name__ == "__main__":
    main()
