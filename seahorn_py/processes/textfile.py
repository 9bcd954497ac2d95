"""Files that a user names: text, and what reading YAML may raise."""

from __future__ import annotations

from pathlib import Path

from seahorn_py.base.errors import InputError

UNREADABLE_VALUES = (RecursionError, ValueError, LookupError, AttributeError, TypeError)
"""What PyYAML raises beside its own errors.

For tags that do not fit, such as `!!bool x`, numbers that are too long, and deep nesting.
"""


def text_of(file: Path) -> str:
    """The text of a file in UTF-8; InputError says why it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: not a text file") from None
