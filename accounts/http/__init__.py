"""What the pages of an account share."""
