// What the extension needs of the editor: it is started, asked for lenses and a hover, and ended.
// node vscode_stub.js EXTENSION FOLDER
"use strict";
const Module = require("module");
const [extensionFile, folder] = process.argv.slice(2);
const none = { dispose() {} };
const kept = {};
const keep = (name) => (...given) => { kept[name] = given; return none; };
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(a, b, c, d) { this.start = new Position(a, b); this.end = new Position(c, d); }
}
class Plain { constructor(...given) { this.given = given; } }
const uri = (text) => ({ toString: () => text, scheme: "file", fsPath: text.replace("file://", "") });
const text = "int main(void) { return 0; }\n";
const document = {
  languageId: "c", version: 1, uri: uri(`file://${folder}/a.c`), getText: () => text, isDirty: false,
};
const SETTINGS = { command: `${folder}/sea-py`, arguments: [], onSave: true, lenses: true, hints: true };
const vscode = {
  Position, Range, Location: Plain, Diagnostic: Plain, CodeLens: Plain, Hover: Plain, InlayHint: Plain,
  MarkdownString: Plain, DiagnosticRelatedInformation: Plain, DiagnosticSeverity: {},
  EventEmitter: class { fire() {} dispose() {} }, Uri: { parse: uri }, ProgressLocation: {},
  languages: {
    createDiagnosticCollection: () => none,
    registerCodeLensProvider: keep("lenses"), registerHoverProvider: keep("hover"),
    registerInlayHintsProvider: keep("hints"),
  },
  workspace: {
    textDocuments: [document], workspaceFolders: [{ uri: uri(`file://${folder}`), name: "a" }],
    getConfiguration: () => ({ get: (name) => SETTINGS[name] }),
    onDidOpenTextDocument: keep("open"), onDidChangeTextDocument: keep("change"),
    onDidSaveTextDocument: keep("save"), onDidCloseTextDocument: keep("close"),
    onDidChangeConfiguration: keep("configuration"),
  },
  window: {
    createOutputChannel: () => ({ ...none, append: (text) => process.stderr.write(text) }),
    showErrorMessage: (text) => { process.stderr.write(text); process.exitCode = 1; },
  },
  commands: { registerCommand: keep("command") },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const extension = require(extensionFile);
(async () => {
  extension.activate({ subscriptions: [] });
  const lenses = await kept.lenses[1].provideCodeLenses(document);
  const hover = await kept.hover[1].provideHover(document, new Position(0, 0));
  console.log(JSON.stringify([lenses.map((lens) => lens.given[1].title), hover]));
  await extension.deactivate();
})();
