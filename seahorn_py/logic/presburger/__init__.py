"""Linear integer arithmetic as sets and relations of isl."""
