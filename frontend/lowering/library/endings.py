"""Names of what runs before and after `main`."""

AT_EXIT = "sea.at_exit"
"""The model that runs what `atexit` registered, then destructors."""

CONSTRUCTORS, DESTRUCTORS = "llvm.global_ctors", "llvm.global_dtors"
