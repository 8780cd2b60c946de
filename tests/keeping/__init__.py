"""Backups, restoring, and what proves that nothing was lost."""
