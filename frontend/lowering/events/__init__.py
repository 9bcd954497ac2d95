"""What calls of functions by name mean, and how they become sea functions."""
