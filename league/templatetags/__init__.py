"""Template tags and filters of leagues."""
