"""Everything that changes a league. Services take objects, are atomic and raise domain errors."""
