"""Pure statistics and chart geometry, without Django."""
