"""Many asynchronous workers, simulated with the real optimiser."""
