"""Keeping what months came to."""
