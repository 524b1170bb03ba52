"""Models of outcomes: the outcome transform, the input warp and the Gaussian process."""
