"""Seating: who sits where, as even as can be, with a certificate that says how even."""
