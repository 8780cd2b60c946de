"""A player's requirements in the last hanchan and in its last hand, exact and proven. See docs/adr/0060."""
