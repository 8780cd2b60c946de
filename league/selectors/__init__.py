"""Everything that reads. Selectors return plain values and name the queries they cost."""
