"""C types as debug information describes them: their text, signedness and members."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.metadata import Metadata, Node

_QUALIFIERS = {
    "DW_TAG_const_type": "const",
    "DW_TAG_volatile_type": "volatile",
    "DW_TAG_restrict_type": "restrict",
    "DW_TAG_atomic_type": "_Atomic",
}
_TAGGED = {
    "DW_TAG_structure_type": "struct",
    "DW_TAG_union_type": "union",
    "DW_TAG_enumeration_type": "enum",
    "DW_TAG_class_type": "struct",
}
_OUTLINED = ("DW_TAG_structure_type", "DW_TAG_union_type")
_SIGNED = ("DW_ATE_signed", "DW_ATE_signed_char")
_UNSIGNED = ("DW_ATE_unsigned", "DW_ATE_unsigned_char", "DW_ATE_boolean", "DW_ATE_UTF")
_MAX_MEMBERS = 64
_MAX_NESTING = 16
_MAX_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Member:
    """A scalar inside an object: where, how to name it, and the number of its type."""

    offset: int
    path: str
    type: str | None


class CTypes:
    """Describes type nodes by number."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata
        self._texts: dict[str | None, str] = {}
        self._outlines: dict[str | None, tuple[str, bool | None]] = {}

    def text(self, number: str | None) -> str:
        """The type as C writes it without a name: `const char *`, `int (*)[3]`."""
        known = self._texts.get(number)
        if known is None:
            known = self._spell(number, 0)
            self._texts[number] = known
        return known

    def _spell(self, number: str | None, nesting: int) -> str:
        """Walk from the outside in; `declarator` is what surrounds the missing name."""
        declarator, pending = "", list[str]()
        while number is not None:
            node = self._metadata.node(number)
            tag = node.fields.get("tag", "")
            following = node.reference("baseType")
            if tag in _QUALIFIERS:
                pending.append(_QUALIFIERS[tag])
            elif tag == "DW_TAG_pointer_type":
                star = " ".join(("*", *pending)).replace("* ", "*")
                declarator, pending = star + _spaced(star, declarator), []
            elif tag == "DW_TAG_array_type":
                declarator = _grouped(declarator) + self._dimensions(node)
            elif node.kind == "DISubroutineType":
                following, parameters = self._signature(node, nesting)
                declarator = _grouped(declarator) + f"({parameters})"
            else:
                return _joined(pending, self._name(node), declarator)
            number = following
        return _joined(pending, "void", declarator)

    def _name(self, node: Node) -> str:
        name = node.string("name")
        keyword = _TAGGED.get(node.fields.get("tag", ""))
        return f"{keyword} {name or '<anonymous>'}" if keyword else name

    def _dimensions(self, node: Node) -> str:
        counts = [
            self._metadata.node(e) for e in self._metadata.elements(node.reference("elements"))
        ]
        return "".join(f"[{c.fields['count']}]" if _counted(c) else "[]" for c in counts)

    def _signature(self, node: Node, nesting: int) -> tuple[str | None, str]:
        types = self._metadata.elements(node.reference("types")) or [None]
        if nesting >= _MAX_NESTING:
            return types[0], "..."
        spelt = ["..." if t is None else self._spell(t, nesting + 1) for t in types[1:]]
        return types[0], ", ".join(spelt) or "void"

    def outline(self, number: str | None) -> tuple[str, bool | None]:
        """The type without qualifiers and dimensions, and whether it is signed, as `signed`."""
        known = self._outlines.get(number)
        if known is None:
            known = self._outlines[number] = self._outlined(number)
        return known

    def _outlined(self, number: str | None) -> tuple[str, bool | None]:
        """Walk from the outside in, up to a pointer behind a name."""
        name, stars, rest = "", "", number
        for _ in range(_MAX_STEPS):
            node = self._metadata.node(rest)
            match node.fields.get("tag"):
                case "DW_TAG_pointer_type" if name:
                    break
                case "DW_TAG_pointer_type":
                    stars += "*"
                case "DW_TAG_array_type":
                    stars += "" if name else "[]"
                case tag:
                    own = node.string("name")
                    name = name or (f"{_TAGGED[tag]} {own}" if own and tag in _OUTLINED else own)
            rest = node.reference("baseType")
            if rest is None:
                break
        text = f"{name or 'void'} {stars}".rstrip()
        return text, None if stars else self.signed(number)

    # ------------------------------------------------------------------------------- meaning

    def stripped(self, number: str | None) -> str | None:
        """The type behind typedefs and qualifiers."""
        for _ in range(_MAX_STEPS):
            node = self._metadata.node(number)
            tag = node.fields.get("tag", "")
            if tag not in _QUALIFIERS and tag != "DW_TAG_typedef":
                break
            number = node.reference("baseType")
        return number

    def signed(self, number: str | None) -> bool | None:
        """Whether an integer type (`_Bool` and enumerations are some) is signed; else None."""
        node = self._metadata.node(self.stripped(number))
        if node.fields.get("tag") == "DW_TAG_enumeration_type":
            node = self._metadata.node(self.stripped(node.reference("baseType")))
        encoding = node.fields.get("encoding", "")
        return True if encoding in _SIGNED else False if encoding in _UNSIGNED else None

    def bits(self, number: str | None) -> int:
        """The size in bits, 0 if it is unknown."""
        return self._metadata.node(self.stripped(number)).number("size")

    def parts(self, number: str | None) -> Iterator[tuple[int, str, str | None, int]]:
        """The members of a struct or array: bit offset, path, type, bits.

        Unions have none (which member is meant is not known), nor have bit-fields.
        """
        node = self._metadata.node(self.stripped(number))
        match node.fields.get("tag"):
            case "DW_TAG_structure_type":
                for element in self._metadata.elements(node.reference("elements")):
                    member = self._metadata.node(element)
                    if "DIFlagBitField" in member.fields.get("flags", ""):
                        continue
                    name = member.string("name")
                    path = f".{name}" if name else ""
                    size = member.number("size")
                    yield member.number("offset"), path, member.reference("baseType"), size
            case "DW_TAG_array_type":
                yield from self._array_parts(node)
            case _:
                return

    def _array_parts(self, node: Node) -> Iterator[tuple[int, str, str | None, int]]:
        element = node.reference("baseType")
        dimensions = self._metadata.elements(node.reference("elements"))
        counts = [self._metadata.node(d).number("count") for d in dimensions]
        size = self.bits(element)
        if size <= 0 or any(count <= 0 for count in counts):
            return
        for index in range(node.number("size") // size):
            rest, path = index, ""
            for count in reversed(counts):
                path = f"[{rest % count}]{path}"
                rest //= count
            yield index * size, path, element, size

    def part_at(self, number: str | None, offset: int, size: int) -> Member | None:
        """The member that has exactly the bits from `offset`; None if there is none."""
        path = ""
        for _ in range(_MAX_NESTING):
            if offset == 0 and size == self.bits(number):
                return Member(0, path, number)
            for at, step, kind, bits in self.parts(number):
                if at <= offset and offset + size <= at + bits:
                    offset, path, number = offset - at, path + step, kind
                    break
            else:
                return None
        return None

    def scalars(self, number: str | None) -> list[Member]:
        """The scalar members by byte offset; empty if there are more than a few."""
        found: list[Member] = []
        work = [Member(0, "", number)]
        while work:
            part = work.pop()
            inner = [
                Member(part.offset + at // 8, part.path + step, kind)
                for (at, step, kind, _), _ in zip(
                    self.parts(part.type), range(_MAX_MEMBERS + 1), strict=False
                )
            ]
            if len(inner) + len(work) + len(found) > _MAX_MEMBERS:
                return []
            if inner:
                work.extend(reversed(inner))
            else:
                found.append(part)
        return found


def _counted(node: Node) -> bool:
    return node.number("count") > 0 or node.fields.get("count") == "0"


def _grouped(declarator: str) -> str:
    return f"({declarator})" if declarator.startswith("*") else declarator


def _spaced(star: str, declarator: str) -> str:
    return f" {declarator}" if star != "*" and declarator else declarator


def _joined(qualifiers: list[str], name: str, declarator: str) -> str:
    space = "" if not declarator or declarator.startswith("[") else " "
    return " ".join((*dict.fromkeys(qualifiers), name)) + space + declarator
