"""The bracket of a format as a picture: boxes for blocks and outcomes, lines for the paths between them."""
