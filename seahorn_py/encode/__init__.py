"""From programs to Horn systems."""
