"""Making the reference data that the score rests on: ``python -m benchmarks reference``.

One concept a file: `pair` (what is drawn and with which seeds), `journal` (what has been evaluated,
on disk), `evaluate` (the rest, on all cores), `pool` and `best` (the two stages), `drift` (do the
tasks still give the frozen losses?), `reference_file` (what is kept), `command` (the options).
"""
