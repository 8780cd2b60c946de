"""What people type, checked and turned into the values that services take."""
