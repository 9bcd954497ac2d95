"""Codes of messages: each kind of message has one, with an example and what to do about it."""
