"""Drawing a format's bracket: boxes for blocks and outcomes, lines for the paths between them."""
