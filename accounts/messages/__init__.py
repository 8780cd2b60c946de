"""What calendars and notices say."""
