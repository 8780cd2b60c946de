"""Tournament logic without Django or a database."""
