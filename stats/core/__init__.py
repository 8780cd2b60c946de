"""Pure statistics: what hanchan add up to, and how a curve is drawn."""
