"""Tags for pages of signing in."""
