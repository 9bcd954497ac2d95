"""A checker of certificates that stands alone: it needs Python and one solver, cvc5 or z3.

It is copied into the folder of every certificate, shares no code with anything else, and reads only
what lies there.
"""
