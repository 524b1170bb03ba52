"""Benchmarks of warpfront: not part of the wheel, built on its public names only."""
