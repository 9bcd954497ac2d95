"""How much of what is tried, for how long: numbers that steer the search and never its meaning."""
