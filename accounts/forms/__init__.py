"""What people say of themselves, checked."""
