"""What directors type on the pages of a tournament."""
