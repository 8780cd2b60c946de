"""The session grid: results of a session entered in a table."""
