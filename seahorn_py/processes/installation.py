"""What is installed: the version of this program."""

from __future__ import annotations


def installed_version() -> str:
    """The version in the metadata of the installed distribution."""
    from importlib.metadata import version

    return version("seahorn-py")
