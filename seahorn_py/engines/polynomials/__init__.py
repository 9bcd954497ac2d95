"""Guesses from runs: equations between polynomials and bounds, proved before they are used."""
