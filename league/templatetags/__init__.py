"""Template tags and filters of the league."""
