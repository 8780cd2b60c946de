"""Scoring of hanchan and ranking of players. Only `messages` uses Django."""
