"""C text: its syntax, names, types and marks; knows of nothing but `errors`."""
