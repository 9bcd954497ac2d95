"""What relations speak of: fewer parameters, other sorts, values as control."""
