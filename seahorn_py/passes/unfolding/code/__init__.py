"""The new program as it is written, and the values that its registers stand for."""
