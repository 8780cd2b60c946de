"""What pages of stats share."""
