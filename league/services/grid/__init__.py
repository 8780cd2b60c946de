"""The evening as a sheet that can be typed into: its rows compared with what is stored, and saved."""
