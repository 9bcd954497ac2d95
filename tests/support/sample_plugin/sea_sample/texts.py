"""Models of functions, and rules."""

HALVES = """
int sample_half(int x) { return x / 2; }
int sample_double(int x) { return x + x + 1; }
"""

WRONG_C = "int sample_half(int x) { return y; }"

RULES = {
    "once": """
rule: once
states: [fresh, begun]
on:
  - {enter: sample_begin(), in: begun, error: it begins twice}
  - {return: sample_begin(), to: begun}
""",
}
