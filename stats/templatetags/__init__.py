"""What templates need of players' numbers."""
