"""An answer as a page for people."""
