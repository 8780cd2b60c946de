"""Proofs: derived data is recalculated and compared with the stored values (docs/adr/0036)."""
