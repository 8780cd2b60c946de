"""Read-only queries. Selectors return plain values, and their docstrings state the number of queries."""
