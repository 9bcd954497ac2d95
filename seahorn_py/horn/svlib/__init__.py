"""SV-LIB: programs over SMT-LIB terms, straight to Horn systems, and witnesses of their answers."""
