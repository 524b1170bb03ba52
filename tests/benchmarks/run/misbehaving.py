"""Adapters of methods that go wrong, run in the methods' place: ``python -m ... WHAT``."""

from __future__ import annotations

import os
import sys
import time

from benchmarks.methods.adapter import main


class Misbehaving:
    """Proposes the middle of branin's space, and from the second round on does what it is told."""

    def __init__(self, what):
        self._what = what
        self._rounds = 0

    def ask(self, n):
        self._rounds += 1
        good = {"x1": 1.0, "x2": 2.0}
        if self._rounds == 1 or self._what == "fine":
            return [good] * n
        if self._what == "raise":
            raise RuntimeError("no more ideas")
        if self._what == "die":
            os._exit(3)
        if self._what == "hang":
            time.sleep(3600.0)
        if self._what == "outside":
            return [{"x1": 1e9, "x2": 2.0}] * n
        if self._what == "few":
            return [good] * (n - 1)
        raise AssertionError(self._what)

    def tell(self, configs, losses):
        print("noise on standard output")


if __name__ == "__main__":
    main(lambda run: Misbehaving(sys.argv[1]), ("numpy",))
