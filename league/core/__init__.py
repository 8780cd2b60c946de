"""Pure league logic: calendar periods, what people type, what they bring as files."""
