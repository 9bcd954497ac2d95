"""What the compiled modules of a program tell of its functions: what they touch, and types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.llvmtext.ctypes_text import CTypes
from seahorn_py.frontend.llvmtext.metadata import Metadata
from seahorn_py.frontend.llvmtext.module import ModuleText, split_module
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.contracts.model import Contract, Refused
from seahorn_py.validation.contracts.project import Name, Unit

TYPES_OF = "__sea_types_"
"""Prefix of a function that we define to learn the signature of a function without a body."""

_SYMBOL = pattern(r'@([-\w.$]+|"(?:[^"\\]|\\.)*")')
_SUBPROGRAM = pattern(r"!dbg !(\d+)")
_INDIRECT = pattern(r"\b(?:call|invoke) [^@]*? %[\w.]+\(")
_ASSEMBLY = pattern(r"\basm (?!(?:sideeffect )?\"\",)(?:sideeffect|inteldialect|alignstack|\")")
"""Assembly with instructions; without any it is a barrier, which touches nothing."""
_VARIABLE = pattern(r"(?:\w+(?:\([^)]*\))? )*?global ")
_JUMPS = frozenset({"setjmp", "_setjmp", "sigsetjmp", "longjmp", "siglongjmp", "__sigsetjmp"})
_ACTS = ("llvm.global_ctors", "llvm.global_dtors")
_NO_EFFECT = pattern(
    r"llvm\.(?!stack|eh|thread|va_).*|sea_is_dereferenceable|__SEA_assume|__sea_assert_fail"
    r"|__VERIFIER_assert|__VERIFIER_assume|__assert_fail|reach_error|__CPROVER_(?:assert|assume)"
    r"|__CPROVER_(?:r|w|rw)_ok|assume|abort|memcmp|strn?cmp|mem(?:cpy|move|set|chr)|strn?len"
    r"|strr?chr|l?l?abs|is(?:alnum|alpha|digit|lower|space|upper|xdigit)|to(?:lower|upper)"
)
"""Functions that change nothing but the memory that their arguments lead to."""


_CHECKING = pattern(
    r"__CPROVER_(?:assert|assume|precondition)|__(?:SEA|VERIFIER)_assume|__builtin_\w+_overflow"
)
"""Functions without a body that change nothing but by their arguments."""


@dataclass(frozen=True)
class Cone:
    """Everything that runs of a function may call or touch.

    `functions`: functions with bodies, itself among them.  `variables`: global variables that may
    change.  `others`: called functions without a body.  `hidden`: reasons why a call may touch more
    than is listed here, or keep something where nobody sees it.  `units`: the numbers of the files.
    `foreign`: variables that no file defines, and that are not only read.
    """

    functions: frozenset[Name]
    variables: frozenset[Name]
    others: frozenset[str]
    hidden: tuple[str, ...]
    units: frozenset[int]
    foreign: frozenset[str]

    @property
    def lasting(self) -> str:
        """A function that may leave something behind that no clause can speak of, or ""."""
        return min((n for n in self.others if not _NO_EFFECT.fullmatch(n)), default="")


@dataclass(frozen=True)
class Leaf:
    """A scalar in an object; `path` has `[{0}]` for the index of an array of `counts[0]`."""

    path: str
    counts: tuple[int, ...]
    kind: str | None
    is_pointer: bool


Replaced = Callable[[Name], frozenset[str]]
"""Function -> the functions that it does not mention any more once its calls are replaced."""


class Compiled:
    """The modules of all files, by the numbers of the files (`unit`)."""

    def __init__(self, modules: Sequence[ModuleText]) -> None:
        self._modules = modules
        self._metadata = [Metadata(module.metadata) for module in modules]
        self.types = [CTypes(metadata) for metadata in self._metadata]

    def is_defined(self, unit: int, name: str) -> bool:
        """Whether the module of a file has a body for the function."""
        return name in self._modules[unit].functions

    def is_variable(self, name: Name) -> bool:
        """Whether the name is a variable that may change."""
        return bool(_VARIABLE.match(self._modules[name.unit].globals.get(name.name, "")))

    def bodies(self) -> Iterator[Name]:
        """All functions with a body."""
        for unit, module in enumerate(self._modules):
            yield from (Name(unit, name) for name in module.functions)

    def home(self, unit: int, name: str) -> Name | None:
        """The definition of a function or variable that a file mentions; None if no file has it."""
        if self._has(unit, name):
            return Name(unit, name)
        for k in range(len(self._modules)):
            if self._has(k, name) and not self._is_internal(k, name):
                return Name(k, name)
        return None

    def _has(self, unit: int, name: str) -> bool:
        module = self._modules[unit]
        body = module.globals.get(name, "external ")
        return name in module.functions or not body.startswith("external ")

    def _is_internal(self, unit: int, name: str) -> bool:
        function = self._modules[unit].functions.get(name)
        if function is None:
            return self._modules[unit].globals[name].startswith(("internal", "private"))
        node = self._metadata[unit].node(_number(function.debug))
        return "DISPFlagLocalToUnit" in node.fields.get("spFlags", "")

    def weak(self, unit: int) -> list[str]:
        """The names in a file that are aliases or weak: what they mean depends on other files."""
        module = self._modules[unit]
        absent = (n for n, body in module.globals.items() if body.startswith("extern_weak "))
        return [*module.aliases, *module.weak, *absent]

    def linked(self, unit: int) -> set[str]:
        """The functions and variables that a file defines and other files see."""
        module = self._modules[unit]
        own = (n for n in (*module.functions, *module.globals) if self._has(unit, n))
        return {n for n in own if n[:5] != "llvm." and not self._is_internal(unit, n)}

    def cone(self, root: Name, replaced: Replaced) -> Cone:
        """The cone of a function, of which the calls in `replaced` are no calls any more."""
        acts = [Name(k, table) for k in range(len(self._modules)) for table in _ACTS]
        found = dict.fromkeys([root, *(a for a in acts if self._has(a.unit, a.name))])
        functions, variables = set[Name](), set[Name]()
        others, foreign = set[str](), set[str]()
        hidden: dict[str, None] = {}
        waiting = list(found)
        while waiting:
            name = waiting.pop()
            text = self._text(name)
            if name.name in self._modules[name.unit].functions:
                functions.add(name)
            elif self.is_variable(name) and name.name not in _ACTS:
                variables.add(name)
                hidden.update(dict.fromkeys(self._of_function(name)))
            hidden.update(dict.fromkeys(_hidden(name.name, text)))
            for symbol in self.symbols(name) - replaced(name):
                home = self.home(name.unit, symbol)
                if home is None:
                    others.add(symbol)
                    foreign |= {symbol} if self._is_given(name.unit, symbol, text) else set()
                    hidden.update({f"{symbol} jumps": None} if symbol in _JUMPS else {})
                elif home not in found:
                    found[home] = None
                    waiting.append(home)
        units = frozenset(name.unit for name in found)
        touched = frozenset(functions), frozenset(variables), frozenset(others)
        return Cone(*touched, tuple(hidden), units, frozenset(foreign))

    def calls_itself(self, name: Name, cone: Cone, replaced: Replaced) -> bool:
        """Whether a call of the function by itself stays a call, so that its arguments are open."""
        return any(
            self.home(one.unit, name.name) == name
            for one in cone.functions
            if name.name in self.symbols(one) - replaced(one)
        )

    def is_harmless(self, unit: int, name: str) -> bool:
        """Whether a call in a file changes nothing but what its arguments lead to."""
        home = self.home(unit, name)
        if home is None:
            return _CHECKING.fullmatch(name) is not None
        cone = self.cone(home, lambda _: frozenset())
        return not (cone.variables or cone.hidden or cone.foreign or cone.lasting)

    def _is_given(self, unit: int, symbol: str, text: str) -> bool:
        """Whether a text does more with a variable of a file than read its value."""
        is_variable = self.is_variable(Name(unit, symbol))
        uses = (line for line in text.split("\n") if symbol in _SYMBOL.findall(line))
        return is_variable and not all(f", ptr @{symbol}," in u and " = load " in u for u in uses)

    def symbols(self, name: Name) -> frozenset[str]:
        """The functions and variables that a function, or the value of a variable, mentions."""
        return frozenset(_SYMBOL.findall(self._text(name)))

    def mentions(self, unit: int, name: str) -> bool:
        """Whether a file mentions a function or variable."""
        module = self._modules[unit]
        return name in module.globals or module.signature(name) is not None

    def _text(self, name: Name) -> str:
        module = self._modules[name.unit]
        function = module.functions.get(name.name)
        return "\n".join(function.lines) if function else module.globals.get(name.name, "")

    def _of_function(self, name: Name) -> Iterator[str]:
        """Why a variable may hide something: it is static in a function, or local to a thread."""
        if "." in name.name or '"' in name.name:
            yield f"the static variable {name.name} keeps its value between calls"
        if "thread_local" in self._modules[name.unit].globals[name.name]:
            yield f"the variable {name.name} is that of a thread"

    # --------------------------------------------------------------------------------- types

    def signature(self, unit: int, name: str) -> tuple[str | None, tuple[str | None, ...]]:
        """The types of the result and of the parameters, as debug records; None for `void`."""
        metadata = self._metadata[unit]
        number = _number(self._modules[unit].functions[name].debug)
        node = metadata.follow(number, "type")
        kinds = metadata.elements(node.reference("types")) or [None]
        return kinds[0], tuple(kinds[1:])

    def variable(self, name: Name) -> str | None:
        """The type of a variable."""
        metadata = self._metadata[name.unit]
        expression = metadata.text(_number(self._modules[name.unit].globals[name.name]) or "")
        found = re.search(r"var: !(\d+)", expression)
        return metadata.node(found[1]).reference("type") if found else None

    def target(self, unit: int, kind: str | None) -> tuple[bool, str | None]:
        """Whether a type is a pointer, and what it points to."""
        node = self._metadata[unit].node(self.types[unit].stripped(kind))
        return node.fields.get("tag") == "DW_TAG_pointer_type", node.reference("baseType")

    def is_struct(self, unit: int, kind: str | None) -> bool:
        """Whether `--entry` makes one object for a pointer to the type, not an array."""
        node = self._metadata[unit].node(self.types[unit].stripped(kind))
        return node.fields.get("tag") == "DW_TAG_structure_type"

    def is_function(self, unit: int, kind: str | None) -> bool:
        """Whether the type is a pointer to a function."""
        _, target = self.target(unit, kind)
        node = self._metadata[unit].node(self.types[unit].stripped(target))
        return node.kind == "DISubroutineType"

    def is_float(self, unit: int, kind: str | None) -> bool:
        """Whether the type has values that are not equal to themselves: NaNs."""
        node = self._metadata[unit].node(self.types[unit].stripped(kind))
        return "float" in node.fields.get("encoding", "")

    def is_flat(self, unit: int, kind: str | None) -> bool:
        """Whether an object of the type has no pointers in it."""
        try:
            return not any(leaf.is_pointer for leaf in self.leaves(unit, kind))
        except Refused:
            return False

    def leaves(self, unit: int, kind: str | None) -> tuple[Leaf, ...]:
        """The scalars in an object of a type.  Raises Refused if its parts are not known."""
        return tuple(self._leaves(unit, kind, "", ()))

    def _leaves(
        self, unit: int, kind: str | None, path: str, counts: tuple[int, ...]
    ) -> Iterator[Leaf]:
        metadata = self._metadata[unit]
        plain = self.types[unit].stripped(kind)
        node = metadata.node(plain)
        match node.fields.get("tag", ""):
            case "DW_TAG_structure_type":
                if "DIFlagFwdDecl" in node.fields.get("flags", ""):
                    raise Refused("an object of unknown type")
                for element in metadata.elements(node.reference("elements")):
                    member = metadata.node(element)
                    name = member.string("name")
                    inner = f"{path}.{name}" if name else path
                    yield from self._leaves(unit, member.reference("baseType"), inner, counts)
            case "DW_TAG_array_type":
                sizes = metadata.elements(node.reference("elements"))
                numbers = tuple(metadata.node(size).number("count") for size in sizes)
                if any(number <= 0 for number in numbers):
                    raise Refused("an array of unknown size")
                more = "".join(f"[{{{len(counts) + k}}}]" for k in range(len(numbers)))
                of = node.reference("baseType")
                yield from self._leaves(unit, of, path + more, (*counts, *numbers))
            case "DW_TAG_union_type" | "DW_TAG_class_type":
                raise Refused("a union")
            case tag:
                yield Leaf(path, counts, plain, tag == "DW_TAG_pointer_type")


def _number(debug: str) -> str | None:
    found = _SUBPROGRAM.search(debug)
    return found[1] if found else None


def _hidden(name: str, text: str) -> Iterator[str]:
    if _ASSEMBLY.search(text):
        yield f"{name} has assembly"
    if _INDIRECT.search(text):
        yield f"{name} calls through a pointer"


def compiled(
    units: Sequence[Unit],
    bodiless: Sequence[Contract],
    options: FrontendOptions,
    deadline: Deadline,
) -> Compiled:
    """Compile all files; for each contract of a function without a body, with one of its types."""
    texts = {unit.path: unit.plain for unit in units}
    for contract in bodiless:
        declared = ", ".join(p.declared for p in contract.parameters) or "void"
        line = f"\n{contract.result} {TYPES_OF}{contract.function}({declared}) {{ for (;;); }}\n"
        texts[units[contract.unit].path] += line.encode()
    kept = replace(options, edited=tuple(texts.items()), flags=(*options.flags, "-femit-all-decls"))
    found = compile_files([unit.path for unit in units], kept, deadline)
    return Compiled([split_module(text) for text in found])
