"""The pages of players."""
