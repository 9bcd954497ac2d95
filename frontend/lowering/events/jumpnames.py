"""The functions that mark places to which control comes back, and those that lead there."""

SETTING = frozenset({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"})
JUMPING = frozenset({"longjmp", "_longjmp", "siglongjmp"})
JUMPS = SETTING | JUMPING
"""What is left of them when jumps have become ordinary control flow is refused."""
