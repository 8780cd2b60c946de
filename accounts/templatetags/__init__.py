"""Template filters of people's own pages."""
