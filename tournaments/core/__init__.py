"""Pure tournament logic will live here."""
