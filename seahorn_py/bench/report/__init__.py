"""Results of benchmark runs side by side: a page, tables, test results."""
