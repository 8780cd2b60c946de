"""Invented leagues to look at: people who do not exist, hanchan that dice have played."""
