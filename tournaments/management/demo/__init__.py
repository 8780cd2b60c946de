"""The demo's tournaments."""
