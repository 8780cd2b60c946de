"""The pages of an import."""
