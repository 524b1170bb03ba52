"""The command `warpfront`."""
