"""Inputs that nobody would type, thousands of them, the same ones every time.

INPUTS=10000 tries so many in all, SEED=word others. A failure names the number of the input: INPUTS and SEED bring it back.
"""
