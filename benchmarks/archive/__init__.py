"""Runs that are kept under version control: what reports need of them, without configurations.

`digest` is a run in short, `store` keeps them, beside this file, in
``<design>/<method>.jsonl``, one line a run, and `command` takes the records of a machine in.
"""
