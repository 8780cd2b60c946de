"""Demo leagues with invented players and simulated hanchan."""
