"""Templates as Python functions: what Django reads node by node on every page is written out once. docs/adr/0030."""
