"""Storing months, ratings and titles."""
