"""What the command line of tournaments can do beside seating: JSON or a file in, JSON out, nothing but Python needed."""
