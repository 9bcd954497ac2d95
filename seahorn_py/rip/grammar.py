"""The grammar of Listing 1, with the precedence of C, comments and `assume`.

LALR(1); the tree is built while the text is read, so that no recursion follows its depth.
"""

from __future__ import annotations

GRAMMAR = r"""
start: declaration* function*
declaration: TYPE NAME ("," NAME)* ";"
function: "void" NAME "(" ")" "{" declaration* statement* "}"

?statement: if_ | while_ | call | assign | assert_ | assume | skip
block: "{" statement* "}"
if_: IF "(" expression ")" block ["else" block]
while_: WHILE "(" expression ")" block
call: NAME "(" ")" ";"
assign: names "=" values ";"
names: NAME ("," NAME)*
values: expression ("," expression)*
assert_: ASSERT "(" expression ")" ";"
assume: ASSUME "(" expression ")" ";"
skip: ";"

?expression: or_ | or_ "?" expression ":" expression -> conditional
?or_: and_ | or_ OR and_ -> binary
?and_: equality | and_ AND equality -> binary
?equality: relation | equality EQUALITY relation -> binary
?relation: sum | relation RELATION sum -> binary
?sum: product | sum (PLUS | MINUS) product -> binary
?product: unary_ | product (TIMES | DIVIDE) unary_ -> binary
?unary_: (MINUS | NOT) unary_ -> unary | atom
?atom: literal | name | "(" expression ")"
literal: NUMBER | TRUE | FALSE
name: NAME

TYPE.2: /(int|bool)(?![A-Za-z0-9_])/
IF: "if"
WHILE: "while"
ASSERT: "assert"
ASSUME: "assume"
TRUE: "true"
FALSE: "false"
OR: "||"
AND: "&&"
EQUALITY: "==" | "!="
RELATION: "<=" | ">=" | "<" | ">"
PLUS: "+"
MINUS: "-"
TIMES: "*"
DIVIDE: "/"
NOT: "!"
NUMBER: /[0-9]+/
NAME: /[A-Za-z_][A-Za-z0-9_]*/
COMMENT: /\/\/[^\n]*/ | /\/\*(.|\n)*?\*\//
%ignore COMMENT
%ignore /\s+/
"""
