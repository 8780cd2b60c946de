"""Whatever is derived, worked out again from the facts and compared with what is stored: docs/adr/0036."""
