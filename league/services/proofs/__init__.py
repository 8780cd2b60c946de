"""Recalculates derived data and compares it with the stored values (docs/adr/0036)."""
