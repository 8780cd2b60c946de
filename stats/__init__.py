"""What is told of players from the results of a league: their pages, statistics, curves and records. It only reads."""
