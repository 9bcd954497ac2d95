"""Names of what runs before and after `main`."""

AT_EXIT = "sea.at_exit"
"""The model that runs what `atexit` registered, then destructors."""

ENDINGS = frozenset({AT_EXIT, "sea.at_quick_exit"})
"""What runs handlers: no jump may leave one of them (C17, 7.22.4.4, 7.22.4.7)."""

CONSTRUCTORS, DESTRUCTORS = "llvm.global_ctors", "llvm.global_dtors"
