"""The extension of Visual Studio Code: its package, and its script beside a stub of the editor."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command import ROOT

from seahorn_py.cli.editor.documents import Settings

FOLDER = ROOT / "integrations" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text())
PACKAGE = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
STUB = ROOT / "tests" / "support" / "vscode_stub.js"


def test_the_extension_is_packed(tmp_path: Path) -> None:
    file = tmp_path / "sea-py.vsix"
    subprocess.run([sys.executable, ROOT / "scripts" / "vscode-extension", file], check=True)
    with zipfile.ZipFile(file) as packed:
        names = set(packed.namelist())
        manifest = ElementTree.fromstring(packed.read("extension.vsixmanifest"))
        types = packed.read("[Content_Types].xml").decode()
    assert {"extension/package.json", f"extension/{MANIFEST['main'][2:]}"} <= names
    identity = manifest.find(f"{PACKAGE}Metadata/{PACKAGE}Identity")
    assert identity is not None
    assert identity.attrib["Id"] == MANIFEST["name"]
    assert identity.attrib["Version"] == MANIFEST["version"]
    assets = [one.attrib["Path"] for one in manifest.iter(f"{PACKAGE}Asset")]
    assert assets and set(assets) <= names
    assert all(f'"{Path(name).suffix}"' in types for name in names if name[0] != "[")


def test_the_manifest_has_the_settings_of_the_server() -> None:
    declared = MANIFEST["contributes"]["configuration"]["properties"]
    given = {name.removeprefix("sea-py."): one["default"] for name, one in declared.items()}
    assert given.pop("command") == "sea-py"
    assert Settings.of(given) == Settings(("--timeout", "20"))
    opposite = Settings.of({name: False for name in given})
    assert not (opposite.on_save or opposite.lenses or opposite.hints)
    assert MANIFEST["capabilities"]["untrustedWorkspaces"]["supported"] is False
    assert declared["sea-py.command"]["scope"] == "machine"  # no folder says what is started


def node() -> str | None:
    """Node, which Playwright brings too."""
    found = shutil.which("node")
    if found is None:
        try:
            from playwright._impl._driver import compute_driver_executable

            found = str(compute_driver_executable()[0])
        except ImportError:
            return None
    return found


def test_the_script_speaks_with_the_server(tmp_path: Path) -> None:
    program = node()
    if program is None:
        pytest.skip("there is no node")
    command = tmp_path / "sea-py"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m seahorn_py.cli "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        [program, STUB, FOLDER / "extension.js", tmp_path],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done
    assert json.loads(done.stdout) == [["prove", "find input"], None], done
