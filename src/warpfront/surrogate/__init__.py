"""What we believe: the output transform, the input warp and the Gaussian process."""
