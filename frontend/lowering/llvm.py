"""The typed seam to llvmlite; runs in children only, since LLVM's assertions abort the process."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import llvmlite.binding as binding

from seahorn_py.base.patterns import pattern

_LAYOUTS = {
    32: "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128",
    64: "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
}
_TRIPLES = {32: "i386-unknown-linux-gnu", 64: "x86_64-unknown-linux-gnu"}


_POISON_FLAGS = pattern(
    r"^(  \S+ = \w+) (?:(?:nuw|nsw|exact|disjoint|nneg|samesign|inbounds|nusw"
    r"|fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )+",
    re.MULTILINE,
)
_PROMISES = pattern(r"(?<!!)\b(?:noundef|nonnull|noalias|dereferenceable(?:_or_null)?\(\d+\)) ")
_PLAIN_TRIPLE = pattern(r"[\w.+-]*")
_COLLECTED = pattern(r'^(?:define|declare) .* gc "', re.MULTILINE)
_CHECKED_BY_PARSER = '!"Debug Info Version", i32 3}'
"""In a module with debug information: the parser verifies it, and ends the process if it is broken.

LLVM, `UpgradeDebugInfo` in `lib/IR/AutoUpgrade.cpp`.
"""

_CODE = pattern(r"^(?:define|declare|  [^ ]).*$", re.MULTILINE)


class LlvmError(Exception):
    """LLVM does not accept a module; the text is LLVM's own message on one line."""


def normalise(request: str) -> str:
    """Child: the module in a file, text or bitcode, to its text as our LLVM prints it.

    LLVM prints the names of a target and of a collector of garbage as they are, with the quotes and
    ends of lines in them: what is in such a name would become a line of the text.
    """
    fields = json.loads(request)
    bits = fields["bits"]
    try:
        module = _parse_any(Path(fields["file"]).read_bytes())
        if not module.data_layout:
            module.data_layout, module.triple = _LAYOUTS[bits], _TRIPLES[bits]
        module.verify()
        width, triple, text = pointer_bits(module), module.triple, str(module)
    except OSError as error:
        return json.dumps({"error": error.strerror})
    except (RuntimeError, UnicodeDecodeError) as error:
        message = f"not a valid LLVM module: {_one_line(str(error))}"
        return json.dumps({"error": message})
    if width != bits:
        return json.dumps({"error": f"made for {width} bits, not {bits} (see -m)"})
    if not _PLAIN_TRIPLE.fullmatch(triple) or _COLLECTED.search(text):
        return json.dumps({"error": "garbage collectors and odd target triples are not supported"})
    return json.dumps({"text": _without_promises(text)})


def _without_promises(text: str) -> str:
    """The module without flags and attributes that make a value poison or undefined.

    Undefined behaviour is judged by the property, so nothing may be derived from its absence.
    """
    flagless = _POISON_FLAGS.sub(r"\1 ", text)
    return _CODE.sub(lambda line: _PROMISES.sub("", line[0]), flagless)


def _parse_any(content: bytes) -> binding.ModuleRef:
    if content[:4] in (b"BC\xc0\xde", b"\xde\xc0\x17\x0b"):
        return binding.parse_bitcode(content)
    return binding.parse_assembly(content.decode())


def pointer_bits(module: binding.ModuleRef) -> int:
    """The width of a pointer by the module's data layout."""
    fields = [item for item in str(module.data_layout).split("-") if item.startswith("p:")]
    return int(fields[0].split(":")[1]) if fields else 64


def link(texts: Sequence[str]) -> str:
    """One module from several; LlvmError on clashing definitions."""
    if len(texts) == 1:
        return texts[0]
    try:
        first = binding.parse_assembly(texts[0])
        for text in texts[1:]:
            first.link_in(binding.parse_assembly(text))
        return str(first)
    except RuntimeError as error:
        raise LlvmError(_one_line(str(error))) from None


def inline(text: str, bits: int) -> str:
    """Verify the module, inline what is marked `alwaysinline`, drop what nothing refers to."""
    module = _parse(text)
    manager = binding.create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.add_global_dead_code_eliminate_pass()
    manager.add_strip_dead_prototype_pass()
    return _run(module, manager, bits)


def simplify(text: str, bits: int) -> str:
    """To registers and simple control flow; only passes that keep every error call."""
    module = _parse(text)
    manager = binding.create_new_module_pass_manager()
    manager.add_sroa_pass()
    manager.add_simplify_cfg_pass()
    manager.add_lower_switch_pass()
    manager.add_loop_simplify_pass()
    return _run(module, manager, bits)


def prepare(text: str, bits: int) -> str:
    """Inline what is marked, locals to registers, constants; no access of other memory changes."""
    module = _parse(text)
    manager = binding.create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.add_sroa_pass()
    manager.add_sccp_pass()
    manager.add_dead_code_elimination_pass()
    manager.add_global_dead_code_eliminate_pass()
    manager.add_instruction_namer_pass()
    return _run(module, manager, bits)


def unroll(text: str, bits: int) -> str:
    """Unroll the loops of which the text wishes that."""
    module = _parse(text)
    manager = binding.create_new_module_pass_manager()
    manager.add_loop_simplify_pass()
    manager.add_loop_unroll_pass()
    return _run(module, manager, bits)


def to_memory(text: str, bits: int) -> str:
    """What lives longer than a basic block to locals in memory."""
    module = _parse(text)
    manager = binding.create_new_module_pass_manager()
    manager.add_break_critical_edges_pass()
    manager.add_register_to_memory_pass()
    return _run(module, manager, bits)


def _parse(text: str) -> binding.ModuleRef:
    try:
        module = binding.parse_assembly(text)
        if _CHECKED_BY_PARSER not in text:
            module.verify()
    except RuntimeError as error:
        raise LlvmError(_one_line(str(error))) from None
    return module


def _run(module: binding.ModuleRef, manager: binding.ModulePassManager, bits: int) -> str:
    binding.initialize_native_target()  # x86, for both widths
    machine = binding.Target.from_triple(_TRIPLES[bits]).create_target_machine()
    tuning = binding.create_pipeline_tuning_options()
    manager.run(module, binding.create_pass_builder(machine, tuning))
    return str(module)


def _one_line(message: str) -> str:
    return " ".join(message.split())[:400]
