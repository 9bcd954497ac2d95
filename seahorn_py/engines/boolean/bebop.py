"""Boolean programs from text, in the syntax of Bebop; every error names file and line.

Ball, Rajamani: Bebop, SPIN 2000; Boolean programs, MSR-TR-2000-14.  `if` and `while` become labels
and jumps.  Variables may be written `{x <= 5}`, after the predicate that they stand for.
"""

from __future__ import annotations

from typing import cast

from lark import Token

from seahorn_py.engines.boolean.building import Builder
from seahorn_py.engines.boolean.expressions import Expression
from seahorn_py.engines.boolean.programs import BooleanProgram
from seahorn_py.logic.text.grammars import Refused, parsed

_GRAMMAR = r"""
declaration: "decl" variable ("," variable)* ";"
procedure: kind ID "(" [parameters] ")" "begin" declaration* enforce? statement* "end"
kind: VOID | BOOL ["<" (NUMBER | ONE) ">"]
parameters: variable ("," variable)*
enforce: "enforce" expression ";"

?statement: labelled | if_ | while_ | basic ";"
labelled: ID ":" statement
if_: "if" "(" expression ")" "then" block ["else" block] "fi" [";"]
while_: "while" "(" expression ")" "do" block "od" [";"]
block: statement*
?basic: skip | goto | assume | assert_ | assign | call | return_
skip: SKIP
goto: GOTO ID ("," ID)*
assume: ASSUME "(" expression ")"
assert_: ASSERT "(" expression ")"
assign: names ":=" values
call: [names ":="] ID "(" [values] ")"
return_: RETURN [values]
names: variable ("," variable)*
values: expression ("," expression)*

?expression: equal | expression IMPLIES equal -> binary
?equal: or_ | equal EQUALITY or_ -> binary
?or_: and_ | or_ OR and_ -> binary
?and_: unary_ | and_ AND unary_ -> binary
?unary_: NOT unary_ -> negated | atom
?atom: constant | unknown | choose | name | "(" expression ")"
constant: ZERO | ONE
unknown: STAR
choose: "choose" _open expression "," expression _close
_open: "(" | "["
_close: ")" | "]"
name: variable
variable: ID | QUOTED

VOID: "void"
BOOL: "bool"
SKIP: "skip"
GOTO: "goto"
ASSUME: "assume"
ASSERT: "assert"
RETURN: "return"
IMPLIES: "=>"
EQUALITY: "=" | "!=" | "^"
OR: "||" | "|"
AND: "&&" | "&"
NOT: "!" | "~"
ZERO.2: /(0|false|F)(?![A-Za-z0-9_.])/
ONE.2: /(1|true|T)(?![A-Za-z0-9_.])/
STAR.2: /[*?]|unknown(?![A-Za-z0-9_.])/
NUMBER: /[2-9]|[1-9][0-9]+/
ID: /[A-Za-z_][A-Za-z0-9_.]*/
QUOTED: /\{[^{}\n]*\}/
COMMENT: /\/\/[^\n]*/ | /\/\*(.|\n)*?\*\//
%ignore COMMENT
%ignore /\s+/
"""


_PROGRAM = "start: declaration* procedure+\n" + _GRAMMAR
_EXPRESSION = "?start: expression\n" + _GRAMMAR


def read_program(text: str, file: str) -> BooleanProgram:
    """The program that the text is; InputError names `file` and a line."""
    return cast(BooleanProgram, parsed(text, file, _PROGRAM, Builder()))


class _OneValue(Builder):
    """Expressions that have one value in each state."""

    def unknown(self, _: list[Token]) -> Expression:
        """Either value: refused."""
        raise Refused(1, "what may be either value is no proposition")

    def choose(self, _: list[Expression]) -> Expression:
        """True, false or unknown: refused."""
        raise Refused(1, "what may be either value is no proposition")


def read_proposition(text: str) -> Expression:
    """The expression that the text is, without unknown values; InputError says what is wrong."""
    return cast(Expression, parsed(text, text, _EXPRESSION, _OneValue()))
