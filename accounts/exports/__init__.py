"""What people take with them."""
