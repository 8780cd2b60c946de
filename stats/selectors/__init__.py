"""Queries for players' statistics."""
