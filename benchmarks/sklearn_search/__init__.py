"""Searches with scikit-learn's interface on the same estimators, data and numbers of fits."""
