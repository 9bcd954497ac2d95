"""The front end: C to `Program`; knows nothing of formulas."""
