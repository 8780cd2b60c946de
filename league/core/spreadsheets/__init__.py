"""Spreadsheets: from bytes to rows, headers and cells, and how our own files are laid out."""
