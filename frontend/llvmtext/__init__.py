"""LLVM text in parts, for `lowering` and `reading`, and what one hands to the other."""
