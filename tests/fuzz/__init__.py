"""Thousands of random inputs, the same ones in each run.

INPUTS=10000 tries that many, SEED=word others. A failure names the number of the input: INPUTS and SEED bring it back.
"""
