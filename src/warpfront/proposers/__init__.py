"""Proposers: each is one way to choose configurations to evaluate."""
