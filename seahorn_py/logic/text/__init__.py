"""Terms as text and back: SMT-LIB, infix, and grammars of small languages."""
