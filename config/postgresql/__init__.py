"""Django's PostgreSQL, whose connections are not asked before each page whether they are there, and not waited for."""
