"""Import of results: rows of a file grouped into games."""
