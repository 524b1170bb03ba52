"""What one suggestion costs: time, memory, import, size on disk; beside the public HEBO package.

Run it with ``python -m benchmarks.speed`` from the root of the repository; ``--help`` lists the
options. This file imports nothing, because the worker of the public package runs under an
interpreter that has neither warpfront nor its tools.
"""
