"""Statistics prepared for templates."""
