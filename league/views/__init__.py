"""Views: read the input, call one service or selector, render or redirect."""
