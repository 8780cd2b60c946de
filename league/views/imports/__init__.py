"""Pages of an import."""
