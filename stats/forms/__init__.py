"""What organisers fill in about a league's numbers."""
