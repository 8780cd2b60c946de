"""What the core of tournaments says in codes, in sentences; `needs` and `needs_tables` need nothing but Python."""
