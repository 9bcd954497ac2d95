"""A program asked in its encodings: all checks together or each alone, runs beside them."""
