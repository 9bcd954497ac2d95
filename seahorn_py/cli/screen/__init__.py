"""What an answer looks like to people."""
