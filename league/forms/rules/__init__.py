"""Forms for rule sets: questions, JSON, and example scores."""
