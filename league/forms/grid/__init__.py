"""The evening as a sheet that can be typed into."""
