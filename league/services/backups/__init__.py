"""The whole site as one file, and back: docs/adr/0036 says what is in it and why."""
