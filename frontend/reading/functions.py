"""Reads function definitions: the header, then every block that the entry reaches."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.blocks import BlockText, reverse_postorder, split_blocks
from seahorn_py.frontend.llvmtext.debuginfo import is_plain
from seahorn_py.frontend.llvmtext.layout import ArrayType, StructType, Types, VoidType
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import Cursor, local_name, tokens_of
from seahorn_py.frontend.reading.body import Body, ModuleParts, Signature
from seahorn_py.frontend.reading.calls import read_call, read_passed
from seahorn_py.frontend.reading.control import CONTROL, completed
from seahorn_py.frontend.reading.denotations import (
    BinaryExpression,
    CastExpression,
    OffsetExpression,
    Undefined,
    Value,
)
from seahorn_py.frontend.reading.memory import MEMORY
from seahorn_py.frontend.reading.records import with_known_values
from seahorn_py.frontend.reading.scalar import SCALAR, Reader
from seahorn_py.ir.program import Bind, Function, Operand, Register

_CALLS: Mapping[str, Reader] = dict.fromkeys(("call", "tail", "musttail", "notail"), read_call)
_OPCODES: Mapping[str, Reader] = {**SCALAR, **MEMORY, **CONTROL, **_CALLS}

_RECORD = pattern(r"\s+#dbg_(value|declare)\((.*), !(\d+), (!DIExpression\([^()]*\)), !(\d+)\)$")


class ModuleSignatures:
    """Signatures of a module's functions, read when they are asked for."""

    def __init__(self, types: Types, functions: Mapping[str, FunctionText]) -> None:
        self._types = types
        self._functions = functions
        self._known: dict[str, Signature] = {}

    def get(self, name: str) -> Signature | None:
        """The signature of a function, None if it has no body."""
        if name not in self._known and name in self._functions:
            self._known[name] = self._read(name, self._functions[name])
        return self._known.get(name)

    def _read(self, name: str, text: FunctionText) -> Signature:
        kind = self._types.read(Cursor.of(text.result))
        results = tuple(leaf for _, leaf in self._types.leaves(kind))
        fixed = (Cursor.of(parameter) for parameter in text.parameters if parameter != "...")
        parameters = tuple(register for cursor in fixed for register in self._parameter(cursor))
        return Signature(name, parameters, results)

    def _parameter(self, cursor: Cursor) -> list[Register]:
        passed = read_passed(self._types, cursor)
        if cursor.peek()[:1] != "%":
            raise InputError(f"LLVM text: a parameter without a name: {cursor.text}")
        name = local_name(cursor.next())
        leaves = self._types.leaves(passed.type)
        if len(leaves) == 1 and leaves[0][1] == passed.type:
            return [Register(name, leaves[0][1])]
        return [Register(f"{name}!{i}", leaf) for i, (_, leaf) in enumerate(leaves)]


def read_function(parts: ModuleParts, name: str, text: FunctionText) -> Function:
    """Read the definition of `name`; an `UnsupportedError` names the C line."""
    signature = parts.signatures.get(name)
    if signature is None:
        raise InputError(f"LLVM text: no function {name}")
    body = Body(parts)
    for parameter in signature.parameters:
        body.define(parameter.name, parameter.type)
    blocks = split_blocks(text.lines, _entry_label(text))
    for block in reverse_postorder(blocks):
        _read_block(body, block)
    origin = parts.debug.subprogram(text.debug.rpartition("!")[2] or None)
    read = Function(name, signature.parameters, signature.results, completed(body), origin)
    return with_known_values(read)


def _entry_label(text: FunctionText) -> str:
    """An entry block without a written label takes the number after the last parameter's."""
    names = (parameter.rpartition(" %")[2] for parameter in text.parameters)
    return str(max((int(name) for name in names if name.isdigit()), default=-1) + 1)


def _read_block(body: Body, block: BlockText) -> None:
    body.begin(block.label)
    debug = body.parts.debug
    for line in block.lines:
        if not body.open:
            return
        if line.startswith("    #"):
            _read_record(body, line)
            continue
        tokens = tokens_of(line)
        body.origin = debug.origin(_detach(tokens))
        try:
            _read_instruction(body, Cursor(tokens))
        except UnsupportedError as refusal:
            place = body.origin.span
            raise UnsupportedError(f"{place}: {refusal}" if place else str(refusal)) from None


def _read_instruction(body: Body, cursor: Cursor) -> None:
    result = ""
    if cursor.peek()[:1] == "%":
        result = local_name(cursor.next())
        cursor.expect("=")
    opcode = cursor.next()
    reader = _OPCODES.get(opcode)
    if reader is None:
        raise UnsupportedError(f"the instruction {opcode} is not supported")
    reader(body, cursor, result)


def _detach(tokens: list[str]) -> str | None:
    """Cut the metadata attachments off the end of an instruction; the number behind `!dbg`."""
    location = None
    while len(tokens) > 3 and tokens[-2][0] == "!" and tokens[-3] == ",":
        if tokens[-2] == "!dbg":
            location = tokens[-1][1:]
        del tokens[-3:]
    return location


def _read_record(body: Body, line: str) -> None:
    """`#dbg_value(T v, !variable, !DIExpression(..), !location)` binds the C variable.

    `#dbg_declare` says where in memory the variable lives: it binds `&name` to that address.
    """
    found = _RECORD.match(line)
    if found is None:
        return
    kind, text, number, expression, location = found.groups()
    debug = body.parts.debug
    variable = debug.local(number, expression)
    if variable is None:
        return
    body.origin = debug.origin(location)
    value = _bound(body, text) if is_plain(expression) else None
    if kind == "declare":
        if value is None:
            return
        variable = debug.address_of(variable)
    body.emit(Bind(variable, value, body.origin))


def _bound(body: Body, text: str) -> Operand | None:
    """The value in a record; None if it is not known or would have to be computed."""
    if text.startswith("!"):
        return None
    _, register, name = text.rpartition(" %")
    match body.known(name) if register else _literal(body, Cursor.of(text)):
        case None | Undefined() | CastExpression() | BinaryExpression() | OffsetExpression():
            return None
        case known:
            return known


def _literal(body: Body, cursor: Cursor) -> Value | None:
    kind = body.types.read(cursor)
    if isinstance(kind, StructType | ArrayType | VoidType):
        return None
    return body.constants.scalar(kind, cursor)
