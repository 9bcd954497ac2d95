"""`sea-py lsp`, asked by a scripted client over standard input and output."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Any

import pytest
from command import sea_py
from editor_client import EditorClient

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.editor.buffer import looked_at
from seahorn_py.cli.editor.documents import FIND, Settings, of_line, of_whole_file
from seahorn_py.cli.editor.of_result import ranges, refused
from seahorn_py.cli.editor.shown_answers import Asked, answer_of, answer_text
from seahorn_py.processes import limits

LOOP = """int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, j = 0;
  while (i < n && i < 1000000) { i++; j += 2; }
  if (j != 2 * i) reach_error();
}
"""
ENDLESS = """int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
  unsigned i = 1, n = __VERIFIER_nondet_int();
  while (i != 0 && i * i * i % 1000003 != n) i += 2;
  if (i == 0 && n == 77) reach_error();
}
"""
WRONG = """int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 7) { /* \U0001f40d\u00fc */ reach_error(); }
}
"""
LIBRARY = "int half(int x) { return 100 / x; }\n"
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EditorClient]:
    root = tmp_path_factory.mktemp("with space")
    client = EditorClient(root, arguments=["--timeout", "40"])
    yield client
    assert client.close() == 0
    assert not [*root.glob("sea-py-bug-*")]


def ask(client: EditorClient, command: str, *arguments: object) -> Any:
    return client.request("workspace/executeCommand", command=command, arguments=[*arguments])


def hints(client: EditorClient, uri: str) -> list[str]:
    found = client.request("textDocument/inlayHint", textDocument={"uri": uri}, range=WHOLE)
    return [f"{one['position']['line']}: {one['label']}" for one in found]


def hovered(client: EditorClient, uri: str, line: int) -> str:
    at = {"line": line, "character": 3}
    found = client.request("textDocument/hover", textDocument={"uri": uri}, position=at)
    return "" if found is None else str(found["contents"]["value"])


def test_what_fails_is_shown_with_its_run(client: EditorClient) -> None:
    uri = client.open("wrong.c", WRONG)
    client.save(uri)
    (found,) = client.diagnostics(uri)
    assert found["severity"] == 1 and found["code"] == "unreach-call", found
    assert found["message"].startswith("reach_error() is reached\ninput: wrong.c:4:11: "), found
    start = WRONG.splitlines()[4].index("reach") + 1  # a snake takes two units of UTF-16
    assert found["range"]["start"] == {"line": 4, "character": start}
    related = found["relatedInformation"]
    assert [one["location"]["uri"] for one in related] == [uri] * len(related)
    assert "x = 7" in related[0]["message"]
    assert [one["location"]["range"]["start"]["line"] for one in related] == [3, 4]
    run = ask(client, "sea-py.run", uri, 5)
    assert [one["text"] for one in run] == [one["message"] for one in related]


def test_a_proof_is_shown_until_the_text_changes(client: EditorClient) -> None:
    uri = client.open("loop.c", LOOP)
    client.save(uri)
    assert client.diagnostics(uri) == []
    assert "0 <= i <= 1000000" in hovered(client, uri, 4) and not hovered(client, uri, 3)
    (hint,) = hints(client, uri)
    assert hint.startswith("4:  ⊢ 0 <= i <= 1000000, j <= 2 * "), hint
    client.change(uri, f"\n{LOOP}")
    assert not hints(client, uri) and not hovered(client, uri, 4)
    assert ask(client, "sea-py.prove", uri, 4, "")["answer"] == "cancelled"  # not saved


def test_a_change_ends_the_work_at_once(client: EditorClient) -> None:
    uri = client.open("endless.c", ENDLESS)
    number = client.begin(
        "workspace/executeCommand", command="sea-py.prove", arguments=[uri, 3, ""]
    )
    client.wait(lambda m: f"{uri}#" in str(m) and "'1 s'" in str(m))
    assert limits.descendants(client.process.pid)
    client.change(uri, "int main(void) {}\n")
    began = time.monotonic()
    assert client.result(number)["answer"] == "cancelled"
    assert time.monotonic() - began < 5
    while limits.descendants(client.process.pid):
        assert time.monotonic() - began < 10
        time.sleep(0.05)


def test_an_entry_is_asked_about_by_its_lens(client: EditorClient) -> None:
    uri = client.open("library.c", LIBRARY)
    lenses = client.request("textDocument/codeLens", textDocument={"uri": uri})
    titles = [(lens["command"]["title"], lens["range"]["start"]["line"]) for lens in lenses]
    assert titles == [("prove", 0), ("find input", 0)]
    command = lenses[1]["command"]
    found = ask(client, command["command"], *command["arguments"])
    assert found["answer"] == "unsafe" and found["headline"].endswith("x = 0; half(x);"), found
    assert found["run"][-1]["location"]["range"]["start"]["line"] == 0
    (shown,) = client.diagnostics(uri)
    assert shown["code"] == "div-by-zero" and "x = 0; half(x);" in shown["message"]


def test_errors_of_the_compiler_are_shown(client: EditorClient) -> None:
    uri = client.open("refused.c", "int main(void) {\n  return x;\n}\n")
    client.save(uri)
    (found,) = client.diagnostics(uri)
    assert found["code"] == "E101" and "undeclared identifier 'x'" in found["message"]
    assert found["range"]["start"] == {"line": 1, "character": 9}
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    assert client.diagnostics(uri) == []


def test_lines_are_those_of_the_compiler(client: EditorClient) -> None:
    """A form feed and other ends of lines of Unicode end none; half a character is a text too."""
    uri = client.open("feed.c", f"/* \f \v \u2028 */\n{WRONG}")
    client.change(uri, f"/* \f \v \ud800 */\n{WRONG}")
    client.save(uri)
    (found,) = client.diagnostics(uri)
    start = WRONG.splitlines()[4].index("reach") + 1
    assert found["range"]["start"] == {"line": 5, "character": start}


def test_files_that_are_not_open_may_be_anything(client: EditorClient) -> None:
    bytes_ = client.root / "latin.c"
    bytes_.write_bytes(b"/* \xe9 */ " + LIBRARY.encode())
    for uri, count in ((bytes_.as_uri(), 2), ((client.root / "gone.c").as_uri(), 0)):
        assert len(client.request("textDocument/codeLens", textDocument={"uri": uri})) == count
    assert ask(client, "sea-py.prove", "untitled:Untitled-1", 1, "")["answer"] == "cancelled"


def test_wrong_arguments_are_told(client: EditorClient) -> None:
    client.notify("workspace/didChangeConfiguration", settings={"sea-py": {"arguments": ["--no"]}})
    uri = client.open("other.c", LIBRARY)
    found = ask(client, "sea-py.prove", uri, 1, "half")
    assert found["answer"] == "refused" and "--no" in found["headline"], found
    client.notify(
        "workspace/didChangeConfiguration", settings={"sea-py": {"arguments": ["--help"]}}
    )
    found = ask(client, "sea-py.prove", uri, 1, "half")
    assert found["answer"] == "refused" and "ends the command" in found["headline"], found
    client.notify("workspace/didChangeConfiguration", settings={"sea-py": {}})


# ------------------------------------------------------------------------------- without a server


def test_without_pygls_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda _: None)
    monkeypatch.setattr("seahorn_py.cli.editor.lsp.find_spec", lambda _: None)
    done = sea_py("lsp")
    assert done.returncode == 2
    assert 'pip install "seahorn-py[lsp]"' in done.stderr, done


def test_ranges_are_read_off_invariants() -> None:
    parts = ["i >= 0", "i <= 10", "(n > 3)", "7 < m", "k == 4", "i <= n", "i < 9"]
    assert [*ranges(parts)] == ["0 <= i <= 8", "4 <= n", "8 <= m", "k == 4"]


def test_questions_about_a_text_that_is_no_c() -> None:
    text = "int f(void) { assert(1); }\nint main(void) { g(; }\nint {"
    found = looked_at("a.c", text.encode())
    assert found.has_main and found.asserts
    assert [(q.line, q.entry, q.is_assertion) for q in found.questions[:2]] == [
        (1, "f", False),
        (1, "", True),
    ]


def test_questions_as_arguments_of_pf() -> None:
    settings = Settings.of({"arguments": ["--timeout", "9"], "lenses": False, "other": 1})
    assert settings == Settings(("--timeout", "9"), True, False, True)
    assert Settings.of(["--timeout"]) == Settings()
    library = looked_at("a.c", LIBRARY.encode())
    whole = of_whole_file("/a.c", "/", library, settings)
    assert whole is not None and whole.arguments == ("--timeout", "9", "--entry", "all")
    assert of_whole_file("/a.c", "/", looked_at("a.c", b"int x;"), settings) is None
    lens = of_line("/a.c", "/", library, Settings(), (1, "half", True))
    assert lens.arguments == ("--entry", "half", *FIND) and lens.line == 1


def test_answers_cross_the_border_of_processes() -> None:
    error = SeaError("a.c:3:9: error: no <b>", "what is no place")
    shown = refused(error, Asked("/p/a.c", "/p", line=2))
    assert [(m.at.file, m.at.line, m.at.column) for m in shown.remarks] == [
        ("/p/a.c", 3, 9),
        ("/p/a.c", 2, 0),
    ]
    assert answer_of(answer_text(shown)) == shown


def test_only_databases_of_the_project_are_read(tmp_path: Path) -> None:
    from seahorn_py.cli.editor.answering_child import _database

    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    file = root / "src" / "a.c"
    file.write_text(LIBRARY)
    text = f'[{{"directory": "{root}", "file": "src/a.c", "arguments": ["cc", "src/a.c"]}}]'
    (tmp_path / "compile_commands.json").write_text(text)
    assert _database(file, root) is None
    (root / "build").mkdir()
    (root / "build" / "compile_commands.json").write_text(text)
    assert _database(file, root) == root / "build" / "compile_commands.json"
