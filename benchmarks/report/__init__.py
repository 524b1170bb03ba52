"""Tables and pictures from the records of runs: ``python -m benchmarks report``."""
