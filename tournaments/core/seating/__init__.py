"""Seating as even as possible, with a certificate."""
