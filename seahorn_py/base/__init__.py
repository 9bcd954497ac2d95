"""What all stand on: errors and places, checked options, data classes."""
