"""What is done from the command line with a whole league and its tournaments."""
