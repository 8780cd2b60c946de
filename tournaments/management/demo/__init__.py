"""The tournaments of the demonstration."""
