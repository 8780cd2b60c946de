"""What invitations, claims, calendars and notices say."""
