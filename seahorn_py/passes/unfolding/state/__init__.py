"""What is known at a point of the run that is followed, and in which order points come."""
