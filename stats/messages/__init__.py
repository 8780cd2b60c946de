"""What stats says in sentences."""
