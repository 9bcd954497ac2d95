"""The engine that asks Spacer, and the border to its process."""
