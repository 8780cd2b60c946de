"""Pure parts of accounts, without Django."""
