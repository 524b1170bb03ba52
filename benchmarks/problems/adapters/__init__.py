"""One small file for each package, run by the interpreter of that package's environment."""
