"""Django's PostgreSQL backend without a connection check before each request, and with a timeout."""
