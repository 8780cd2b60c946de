"""Thousands of random inputs, the same in each run.

INPUTS=10000 tries that many, SEED=word tries others. A failure names the input's number; run with the same INPUTS and SEED
to reproduce it.
"""
