"""Which rules a system has: resolved, left out, reversed, strengthened."""
