"""What memory is left becomes regions; uses `pointsto` and `promotion`."""
