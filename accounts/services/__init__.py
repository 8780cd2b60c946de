"""Letting people in, and what they do with what is theirs."""
