"""What leaves as a file."""
