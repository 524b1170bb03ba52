"""The loops: one protocol, one stateful shell, several optimisers."""
