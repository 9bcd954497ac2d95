"""The version, also of the distribution: to read that from its metadata takes 30 ms."""

VERSION = "0.1.0"
