"""The language of RocketScience: recursive programs over unlimited integers, straight to Horn.

Wolff: Building a State-of-the-Art Model Checker, SKILL 2015, section 2 and Listing 1.

    reading      text            -> Program, checked     (`grammar`, `checking`)
    encoding     Program         -> HornSystem
    interpreter  Program, values -> how the run ends
    replay       Refutation      -> the values of variables that nothing was assigned to yet
    command      `sea-py rip`
"""
