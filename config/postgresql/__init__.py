"""Django's PostgreSQL, whose connections are not asked before each page whether they are still there."""
