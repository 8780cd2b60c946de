"""What records, titles and achievements are called."""
