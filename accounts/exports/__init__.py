"""What is written for other programs: evenings for calendars."""
