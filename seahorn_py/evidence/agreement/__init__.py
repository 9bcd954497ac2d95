"""Models compared with runs, state by state."""
