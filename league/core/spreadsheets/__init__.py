"""Spreadsheets: decoding, headers, cells, and the layout of exported files."""
