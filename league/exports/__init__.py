"""Results and leaderboards as files for spreadsheets: one table, many formats."""
