"""`sea-py serve`: a process that has everything loaded, whose copies do what clients ask for."""
