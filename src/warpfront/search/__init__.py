"""How the acquisition is optimised: NSGA-II over mixed variables, and the choice of a batch."""
