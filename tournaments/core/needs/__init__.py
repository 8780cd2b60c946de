"""A player's requirements in the last hanchan and its last hand, exact and proved. See docs/adr/0060."""
