"""Horn systems to Horn systems, and answers back; uses no checker."""
