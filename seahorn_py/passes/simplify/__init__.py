"""Local rules, dead code and the shape of control flow; used by most passes."""
