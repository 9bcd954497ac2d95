"""Rules of use: automata that watch the calls of a program, as code of the program itself."""
