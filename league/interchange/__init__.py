"""Import and export of a whole league as a JSON file, schema tenbo/1."""
