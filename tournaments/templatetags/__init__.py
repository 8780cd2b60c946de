"""What templates of tournaments need."""
