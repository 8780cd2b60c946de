"""What is drawn by the ten thousand, with numpy: the one place of a tournament that needs more than Python to reckon."""
