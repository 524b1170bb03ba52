"""One file for each package under test; nothing is imported here."""
