"""Functions as entries: a program that calls one of them with any arguments.

For each file with an entry its text is compiled again with a function behind it that makes the
arguments (`arbitrary`) and calls the entry; static functions and types of the file are visible
there.  That function becomes `main`; one of the program is an ordinary function.

Where `options.driven`, the entries are tables: objects that hold addresses of functions at first.
Then these functions are called, one after the other, in any order and as often as a run wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.arbitrary import DECLARATIONS, PREFIX, Arbitrary
from seahorn_py.frontend.compiling.compiler import compile_files, source_text
from seahorn_py.frontend.compiling.support import ENTRY
from seahorn_py.frontend.llvmtext.ctypes_text import CTypes
from seahorn_py.frontend.llvmtext.lines import SYMBOL
from seahorn_py.frontend.llvmtext.metadata import Metadata
from seahorn_py.frontend.llvmtext.module import ModuleText, split_module
from seahorn_py.ir.program import NOT_COVERED
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.processes.deadline import Deadline

ALL = "all"

_UNUSED_TOO = "-femit-all-decls"
"""Has clang compile static functions that nothing calls as well."""

_MAIN, _OWN = "__sea_entry", "__sea_main"
_PROGRAMS_MAIN = pattern(r"@main(?![\w.$-])")
_ADDED = pattern(rf"@{_MAIN}(?![\w.$-])")
_SUBPROGRAM = pattern(r"!dbg !(\d+)")
_QUALIFIER = pattern(r"\b(?:const|volatile) ")
_SAME_OBJECT = ("DW_TAG_typedef", "DW_TAG_array_type", "DW_TAG_volatile_type")


def with_entries(
    files: Sequence[Path], texts: Sequence[str], options: FrontendOptions, deadline: Deadline
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The modules of a program that begins with a call of one of `options.entries`.

    With what is assumed of the calls.  Of `all` those are left out that cannot be called.
    """
    if options.wants(Property.VALID_MEMTRACK) or options.wants(Property.VALID_MEMCLEANUP):
        raise InputError("which blocks are left is no question about an entry: its caller frees")
    modules = [split_module(text) for text in texts]
    if options.driven or not _defined(modules).issuperset(options.entries):
        kept = replace(options, flags=(*options.flags, _UNUSED_TOO))
        modules = [split_module(text) for text in compile_files(files, kept, deadline)]
    tables = options.entries if options.driven else ()
    if options.driven:
        options = replace(options, entries=_operations(modules, tables))
    wanted = _wanted(modules, options.entries)
    first = next(k for k, names in enumerate(wanted) if names)
    edited = dict(options.edited)
    left_out: list[str] = []
    for k, (file, names) in enumerate(zip(files, wanted, strict=True)):
        if not names:
            continue
        if file.suffix not in (".c", ".i"):
            raise InputError(f"{file}: an entry needs a C file")
        adding = _Adding(modules[k], options)
        lines = list(adding.body(names, k))
        left_out += adding.left_out
        if k == first:
            numbers = [j for j, others in enumerate(wanted) if others]
            lines += _main(numbers, "while" if tables else "if")
        added = f'\n# 1 "{ENTRY}"\n' + "\n".join(lines) + "\n"
        edited[file] = source_text(file, options) + added.encode()
    options = replace(options, edited=tuple(edited.items()))
    made = compile_files(files, options, deadline)
    texts = tuple(_ADDED.sub("@main", _PROGRAMS_MAIN.sub(f"@{_OWN}", text)) for text in made)
    return texts, tuple((*_assumed(options, left_out), *_driven(options, tables)))


def _assumed(options: FrontendOptions, left_out: Sequence[str]) -> Iterator[str]:
    """What is not looked at of the calls."""
    depth, size = options.pointer_depth, options.array_size
    most = f", arrays of at most {size} elements" if size else ""
    yield (
        "an entry is called with pointers that are null or lead to fresh objects, one of a"
        f" structure, {depth} levels deep{most}, and with null for functions"
    )
    but = ", but for arguments of one type" * options.may_alias
    yield f"pointers that an entry is called with are different{but}"
    held = "static variables of functions and those of other files"
    variables = held if options.any_globals else "global variables"
    yield f"{variables} hold their initial values when an entry is called"
    if left_out:
        yield f"{NOT_COVERED}calls of {', '.join(left_out)}"


def _driven(options: FrontendOptions, tables: Sequence[str]) -> Iterator[str]:
    """What is not looked at of operations."""
    if tables:
        yield (
            f"the operations of {', '.join(tables)} are {', '.join(options.entries)}, called one"
            " after the other in any order, each time with objects of their own"
        )


def _operations(modules: Sequence[ModuleText], tables: Sequence[str]) -> tuple[str, ...]:
    """The functions of the program whose addresses tables hold; InputError for one without any."""
    known = _defined(modules)
    found: dict[str, None] = {}
    for table in tables:
        held = [
            name
            for module in modules
            for name in SYMBOL.findall(module.globals.get(table, ""))
            if name in known
        ]
        if not held:
            raise InputError(f"no object {table} of the program holds functions of it at first")
        found.update(dict.fromkeys(held))
    return tuple(found)


def _defined(modules: Iterable[ModuleText]) -> set[str]:
    return {ALL, *(name for module in modules for name in module.functions)}


def _wanted(modules: Sequence[ModuleText], entries: Sequence[str]) -> list[list[str]]:
    """The entries that each module defines; InputError for one that none does."""
    found: list[list[str]] = []
    for module in modules:
        own = [name for name in module.functions if name not in ("main", _OWN)]
        if ALL in entries:
            found.append([n for n in own if "internal" not in module.functions[n].prefix.split()])
        else:
            found.append([name for name in own if name in entries])
    known = {name for names in found for name in names}
    missing = [name for name in entries if name not in known and name != ALL]
    if missing or not known:
        raise InputError(f"no function {', '.join(missing) or 'at all'} to enter in the program")
    return found


def _main(numbers: Sequence[int], again: str) -> Iterator[str]:
    """The function that calls one of those of the files, once or again and again."""
    for k in numbers:
        yield f"extern void {_MAIN}_{k}(void);"
    yield f"extern int {PREFIX}file(void);"
    yield f"extern int {PREFIX}more(void);"
    yield f"int {_MAIN}(void) {{ {again} ({again == 'if':d} || {PREFIX}more()) {{"
    yield f"int file = {len(numbers) > 1:d} ? {PREFIX}file() : {numbers[0]};"
    for k in numbers:
        yield f"if (file == {k}) {_MAIN}_{k}();"
    yield "} return 0; }"


@dataclass
class _Adding:
    """What is added to one module."""

    module: ModuleText
    options: FrontendOptions
    left_out: list[str] = field(default_factory=list)
    """The entries that cannot be called, each with the reason."""

    def body(self, names: Sequence[str], number: int) -> Iterator[str]:
        """A function that calls one of the entries of the module."""
        metadata = Metadata(self.module.metadata)
        making = Arbitrary(metadata, CTypes(metadata), self.options.array_size)
        yield from DECLARATIONS
        yield f"extern int {PREFIX}entry(void);"
        yield f"void {_MAIN}_{number}(void) {{"
        if self.options.any_globals:
            yield from self._globals(making)
        calls: list[list[str]] = []
        for k, name in enumerate(names):
            mark = f"{number}_{k}_" if (number, k) != (0, 0) else ""
            calls.append(self._tried(name, replace(making, prefix=PREFIX + mark)))
        calls = [call for call in calls if call]
        if not calls:
            raise UnsupportedError(f"the entry {'; '.join(self.left_out)}")
        yield f"int entry = {len(calls) > 1:d} ? {PREFIX}entry() : 0;"
        for k, call in enumerate(calls):
            yield f"if (entry == {k}) {{ {' '.join(call)} }}"
        yield "}"

    def _tried(self, name: str, making: Arbitrary) -> list[str]:
        """The statements of a call; none, with a note, for one of all that cannot be made."""
        try:
            return list(self._call(name, making))
        except UnsupportedError as error:
            if ALL not in self.options.entries:
                raise UnsupportedError(f"the entry {name}: {error}") from None
            self.left_out.append(f"{name} ({error})")
            return []

    def _call(self, name: str, making: Arbitrary) -> Iterator[str]:
        """Statements that make the arguments, and the call."""
        found = _SUBPROGRAM.search(self.module.functions[name].debug)
        types = making.metadata.follow(found[1] if found else None, "type").reference("types")
        kinds = making.metadata.elements(types)[1:]
        names = _parameters(making.metadata, found[1] if found else "", len(kinds))
        given: list[tuple[str, str]] = []
        for parameter, kind in zip(names, kinds, strict=False):
            if kind is None:
                break
            yield from making.value(parameter, kind, self.options.pointer_depth)
            text = making.types.text(making.types.stripped(kind))
            if self.options.may_alias and "*" in text:
                yield from _aliases(parameter, text, given, making.prefix)
            given.append((parameter, text))
        called = making.metadata.node(found[1]).string("name") if found else name
        yield f"(void){called}({', '.join(parameter for parameter, _ in given)});"

    def _globals(self, making: Arbitrary) -> Iterator[str]:
        """Any value for each variable of the file that may change."""
        for number in self.module.metadata:
            node = making.metadata.node(number)
            scope = making.metadata.node(node.reference("scope"))
            if node.kind != "DIGlobalVariable" or scope.kind != "DICompileUnit":
                continue
            kind, name = node.reference("type"), node.string("name")
            is_defined = node.fields.get("isDefinition") == "true"
            if is_defined and not _is_constant(making.metadata, kind):
                yield f"__SEA_nondet_memory((void *)&{name}, sizeof {name});"
                yield from making.members(name, name, kind, self.options.pointer_depth)
                if making.types.text(making.types.stripped(kind)).endswith("*"):
                    yield from making.pointer(name, name, kind, self.options.pointer_depth)


def _is_constant(metadata: Metadata, kind: str | None) -> bool:
    """Whether an object of a type is constant, not only what it points to."""
    node = metadata.node(kind)
    while node.fields.get("tag") in _SAME_OBJECT:
        node = metadata.node(node.reference("baseType"))
    return node.fields.get("tag") == "DW_TAG_const_type"


def _aliases(name: str, text: str, given: Sequence[tuple[str, str]], prefix: str) -> Iterator[str]:
    """The pointer may be one of those before it that have its type, but for qualifiers."""
    for other, kind in given:
        if _QUALIFIER.sub("", kind) == _QUALIFIER.sub("", text):
            cast = "(void *)" * (kind != text)
            yield f"extern _Bool {prefix}same_{name}_{other}(void);"
            yield f"if ({prefix}same_{name}_{other}()) {name} = {cast}{other};"


def _parameters(metadata: Metadata, subprogram: str, count: int) -> list[str]:
    """The names of the parameters, or others where they have none."""
    names = [f"argument{k + 1}_" for k in range(count)]
    retained = metadata.elements(metadata.node(subprogram).reference("retainedNodes"))
    for number in retained:
        node = metadata.node(number)
        position = node.number("arg")
        if 0 < position <= count and node.string("name"):
            names[position - 1] = f"{node.string('name')}_"
    return names
