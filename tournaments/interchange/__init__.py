"""The whole tenbo/1 file: a league as its own app reads and writes it, and the tournaments played in it."""
