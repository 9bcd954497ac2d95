"""What models say, in C terms: expressions over the variables of a program."""
