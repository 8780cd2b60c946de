"""Player pages, statistics, charts and records, derived from a league's results."""
