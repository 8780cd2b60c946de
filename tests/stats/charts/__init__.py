"""Tests of the geometry of pictures."""
