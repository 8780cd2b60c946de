"""What stands on the share pictures of a league: put together from what its pages show, as everybody reads it."""
