"""Erasure of a person's names from everything a league stores (docs/adr/0048)."""
