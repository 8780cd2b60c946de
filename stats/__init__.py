"""Player pages, statistics, charts and records from a league's results. Reads only."""
