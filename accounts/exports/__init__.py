"""What people take with them, and what is written for other programs."""
