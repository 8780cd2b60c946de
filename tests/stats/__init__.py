"""Tests of what is told of players."""
