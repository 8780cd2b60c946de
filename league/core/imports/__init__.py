"""Results from elsewhere: rows of a file put together into games."""
