"""What of a league's numbers stands in a tenbo/1 file: its own titles, and nothing that follows from results."""
