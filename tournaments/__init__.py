"""Tournaments: stages, blocks, seating, advancement. Not begun yet; its place in the layers is kept."""
