"""Commands of manage.py for accounts."""
