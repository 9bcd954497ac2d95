"""Horn systems as text: SMT-LIB, logic programs, the wire between processes."""
