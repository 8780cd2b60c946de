"""What operators ask of stats on the command line."""
