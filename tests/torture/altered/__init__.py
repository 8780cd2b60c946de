"""What the torture changes about a site that it has started, and what it switches off to see that it is missed.

An app beside Tenbo's own, known to `tests.torture.settings` alone: the product has no switch that weakens it.
"""
