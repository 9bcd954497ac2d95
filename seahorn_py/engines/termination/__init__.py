"""Ranking functions and recurrent sets of Horn systems."""
