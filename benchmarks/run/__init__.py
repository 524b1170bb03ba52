"""Runs of methods on tasks: resumable, in parallel, one record each.

`command` reads the options, `campaign` hands the runs out, `perform` does one of them, with its
evaluations in a `journal`, and `methods_at_hand` keeps the processes of the methods.
"""
