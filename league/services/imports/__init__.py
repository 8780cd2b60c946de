"""A file of results on its way into the league: read, checked, stored in one piece, taken back."""
