"""What statements compute: registers, memory, floats."""
