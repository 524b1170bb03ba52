"""What is worth trying: acquisition functions and their robust ensemble."""
