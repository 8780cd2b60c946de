"""Pure league logic: calendar periods, what people type, statistics."""
