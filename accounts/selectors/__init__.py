"""What is somebody's: their leagues, evenings and choices."""
