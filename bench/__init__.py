"""Benchmark: CPU time of Tenbo as a ratio to the minimal implementation, measured in the same run."""
