"""A league goes from one database to another while people play; docs/adr/0072."""
