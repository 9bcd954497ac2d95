"""Transition power abstraction; uses `imc` for transitions."""
