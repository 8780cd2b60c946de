"""Timings as ratios: what Tenbo does against the least work that could do it, raced in one run."""
