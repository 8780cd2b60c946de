"""Pure parts of how people come in and leave."""
