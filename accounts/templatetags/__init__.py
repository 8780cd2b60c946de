"""Tags and filters of the pages that are somebody's own."""
