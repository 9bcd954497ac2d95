"""The text of a program to the program."""
