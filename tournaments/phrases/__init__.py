"""Sentences that are wanted in both languages at once, and where nothing but Python is at hand."""
