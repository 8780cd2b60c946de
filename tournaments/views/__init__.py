"""The pages of a tournament."""
