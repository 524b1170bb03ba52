"""The optimisers that are compared, each behind the same ask/tell protocol.

`registry` names them, `environments` makes the virtual environment of each, `adapters` holds one
small file for each package, run by that environment's interpreter, and `adapter` is what these
files share. This file imports nothing, because the adapters run under interpreters that have
neither warpfront nor its tools.
"""
