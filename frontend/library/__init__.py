"""What is promised of the functions of the C library."""
