"""Results and standings as files for spreadsheets: one table, many formats."""
