"""Ratings of players, worked out hanchan by hanchan in the order of play. Players, hanchan and days are plain numbers."""
