"""Scoring: raw scores in, points out; many hanchan in, a ranking out. No Django in here but `messages`."""
