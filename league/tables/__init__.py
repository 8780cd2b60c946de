"""Tables for pages and downloads."""
