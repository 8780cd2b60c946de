"""Services: every write to a league's data. They take model objects, run atomically and raise domain errors."""
