"""Ratings, computed hanchan by hanchan in order of play. Players, hanchan and days are plain integers."""
