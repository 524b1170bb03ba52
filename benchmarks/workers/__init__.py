"""Packages under test in processes and environments of their own, spoken to in JSON lines.

This file imports nothing, because the workers run under interpreters that have neither warpfront
nor its tools.
"""
