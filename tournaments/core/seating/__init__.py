"""Compute seatings that are as balanced as possible, with a proof of how close they are to the optimum."""
