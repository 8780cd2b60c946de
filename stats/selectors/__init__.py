"""Reading results player by player."""
