"""Export of results and standings as spreadsheet files."""
