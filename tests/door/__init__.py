"""What stands between the internet and a league: who comes in, how often one may try, and what stays where it was read."""
