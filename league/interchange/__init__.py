"""A whole league as one JSON file, schema tenbo/1: read strictly, written completely."""
