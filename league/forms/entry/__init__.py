"""The entry page: what is typed at the table, read, checked and shown again."""
