"""Files of results from elsewhere: from bytes to games, and how our own files are laid out."""
