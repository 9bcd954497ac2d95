// The client of `sea-py lsp` for Visual Studio Code, in one file without a build step and without other packages.
// It speaks the Language Server Protocol over standard input and output (specification 3.17, "Base Protocol").
"use strict";

const { spawn } = require("child_process");
const vscode = require("vscode");

const LANGUAGE = { language: "c", scheme: "file" };
const SEVERITIES = { 1: "Error", 2: "Warning", 3: "Information", 4: "Hint" };
const SETTINGS = ["arguments", "onSave", "lenses", "hints"];
const ENDING_MS = 1000;
const MOST_BYTES = 1 << 26;

class Server {
  // A process, the requests that wait for their answers, and the handlers of what it says by itself.
  constructor(command, folder, handlers) {
    this.handlers = handlers;
    this.waiting = new Map();
    this.number = 0;
    this.data = Buffer.alloc(0);
    this.child = spawn(command, ["lsp"], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdout.on("data", (data) => this.receive(data));
    this.child.stderr.on("data", (data) => handlers.log(String(data)));
    this.child.stdin.on("error", () => {});
    this.child.on("error", (error) => this.end(error.message));
    this.child.on("exit", (code) => this.end(`it ended with ${code}`));
  }

  send(message) {
    const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.child.stdin.write(`Content-Length: ${text.length}\r\n\r\n`);
    this.child.stdin.write(text);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params, token) {
    const id = ++this.number;
    if (token !== undefined) {
      token.onCancellationRequested(() => this.notify("$/cancelRequest", { id }));
    }
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  receive(data) {
    this.data = Buffer.concat([this.data, data]);
    for (;;) {
      const head = this.data.indexOf("\r\n\r\n");
      if (head < 0) return;
      const size = Number(/Content-Length: (\d+)/i.exec(this.data.subarray(0, head).toString())?.[1]);
      if (!(size <= MOST_BYTES)) {
        this.child.kill();
        return;
      }
      const begin = head + 4;
      if (this.data.length < begin + size) return;
      const text = this.data.subarray(begin, begin + size).toString();
      this.data = this.data.subarray(begin + size);
      this.take(JSON.parse(text));
    }
  }

  take(message) {
    if (message.method !== undefined) {
      if (message.id !== undefined) this.send({ id: message.id, result: null });
      const handler = this.handlers[message.method];
      if (handler !== undefined) handler(message.params);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (waiting === undefined) return;
    if (message.error !== undefined) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  end(why) {
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
    this.handlers.ended(why);
  }

  async stop() {
    this.handlers.ended = () => {};
    const late = setTimeout(() => this.child.kill(), ENDING_MS);
    try {
      await this.request("shutdown", null);
      this.notify("exit", null);
    } catch {
      // it has ended by itself
    }
    this.child.once("exit", () => clearTimeout(late));
  }
}

// ------------------------------------------------------------------------------------------ values of both sides

function range(found) {
  const { start, end } = found;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function location(found) {
  return new vscode.Location(vscode.Uri.parse(found.uri), range(found.range));
}

function diagnostic(found) {
  const severity = vscode.DiagnosticSeverity[SEVERITIES[found.severity] ?? "Information"];
  const made = new vscode.Diagnostic(range(found.range), found.message, severity);
  made.source = found.source;
  made.code = found.code;
  if (found.codeDescription) {
    made.code = { value: found.code, target: vscode.Uri.parse(found.codeDescription.href) };
  }
  made.relatedInformation = (found.relatedInformation ?? []).map(
    (one) => new vscode.DiagnosticRelatedInformation(location(one.location), one.message),
  );
  return made;
}

function settings() {
  const given = vscode.workspace.getConfiguration("sea-py");
  return Object.fromEntries(SETTINGS.map((name) => [name, given.get(name)]));
}

const at = (position) => ({ line: position.line, character: position.character });
const named = (document) => ({ uri: document.uri.toString() });
const isOurs = (document) => document.languageId === "c" && document.uri.scheme === "file";

// ------------------------------------------------------------------------------------------------- the extension

let server;

function start() {
  const diagnostics = vscode.languages.createDiagnosticCollection("sea-py");
  const log = vscode.window.createOutputChannel("sea-py");
  const changed = new vscode.EventEmitter();
  const running = new Map();
  const handlers = {
    "textDocument/publishDiagnostics": (params) =>
      diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic)),
    "window/showMessage": (params) =>
      params.type === 1
        ? vscode.window.showErrorMessage(params.message)
        : vscode.window.showInformationMessage(params.message),
    "workspace/inlayHint/refresh": () => changed.fire(),
    "$/progress": (params) => progress(running, params),
    log: (text) => log.append(text),
    ended: (why) => vscode.window.showErrorMessage(`sea-py: the server does not run: ${why}`),
  };
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const command = vscode.workspace.getConfiguration("sea-py").get("command");
  const one = new Server(command, folder?.fsPath, handlers);
  const ready = one
    .request("initialize", {
      processId: process.pid,
      rootUri: folder === undefined ? null : folder.toString(),
      workspaceFolders: vscode.workspace.workspaceFolders?.map((f) => ({
        uri: f.uri.toString(),
        name: f.name,
      })),
      capabilities: {
        window: { workDoneProgress: true },
        workspace: { inlayHint: { refreshSupport: true } },
        textDocument: { publishDiagnostics: { relatedInformation: true } },
      },
      initializationOptions: settings(),
    })
    .then(() => {
      one.notify("initialized", {});
      for (const document of vscode.workspace.textDocuments) opened(one, document);
      return true;
    })
    .catch(() => false);
  const parts = [diagnostics, log, changed, ...listeners(one, ready), ...providers(one, ready, changed)];
  return { one, ready, running, dispose: () => parts.forEach((part) => part.dispose()) };
}

function progress(running, { token, value }) {
  // Progress at the bottom of the window, from `begin` to `end`.
  if (value.kind === "begin") {
    const options = { location: vscode.ProgressLocation.Window, title: value.title };
    vscode.window.withProgress(options, (shown) => new Promise((done) => running.set(token, { shown, done })));
  } else if (value.kind === "report") {
    running.get(token)?.shown.report({ message: value.message });
  } else {
    running.get(token)?.done();
    running.delete(token);
  }
}

function opened(one, document) {
  if (!isOurs(document)) return;
  const { languageId, version } = document;
  const textDocument = { ...named(document), languageId, version, text: document.getText() };
  one.notify("textDocument/didOpen", { textDocument });
}

function listeners(one, ready) {
  const { workspace } = vscode;
  const told = (tell) => async (given) => {
    if ((await ready) && isOurs(given.document ?? given)) tell(given);
  };
  return [
    workspace.onDidOpenTextDocument(told((document) => opened(one, document))),
    workspace.onDidChangeTextDocument(
      told(({ document, contentChanges }) => {
        if (contentChanges.length === 0) return;
        const textDocument = { ...named(document), version: document.version };
        one.notify("textDocument/didChange", { textDocument, contentChanges: [{ text: document.getText() }] });
      }),
    ),
    workspace.onDidSaveTextDocument(
      told((document) => one.notify("textDocument/didSave", { textDocument: named(document) })),
    ),
    workspace.onDidCloseTextDocument(
      told((document) => one.notify("textDocument/didClose", { textDocument: named(document) })),
    ),
    workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration("sea-py") || !(await ready)) return;
      one.notify("workspace/didChangeConfiguration", { settings: { "sea-py": settings() } });
    }),
  ];
}

function providers(one, ready, changed) {
  const { languages } = vscode;
  const asked = async (method, params, token) => ((await ready) ? one.request(method, params, token) : null);
  return [
    languages.registerCodeLensProvider(LANGUAGE, {
      async provideCodeLenses(document, token) {
        const found = await asked("textDocument/codeLens", { textDocument: named(document) }, token);
        return (found ?? []).map((lens) => new vscode.CodeLens(range(lens.range), lens.command));
      },
    }),
    languages.registerHoverProvider(LANGUAGE, {
      async provideHover(document, position, token) {
        const params = { textDocument: named(document), position: at(position) };
        const found = await asked("textDocument/hover", params, token);
        return found ? new vscode.Hover(new vscode.MarkdownString().appendCodeblock(found.contents.value, "c")) : null;
      },
    }),
    languages.registerInlayHintsProvider(LANGUAGE, {
      onDidChangeInlayHints: changed.event,
      async provideInlayHints(document, shown, token) {
        const params = { textDocument: named(document), range: { start: at(shown.start), end: at(shown.end) } };
        const found = await asked("textDocument/inlayHint", params, token);
        return (found ?? []).map((hint) => {
          const { line, character } = hint.position;
          const made = new vscode.InlayHint(new vscode.Position(line, character), hint.label);
          made.tooltip = hint.tooltip;
          made.paddingLeft = hint.paddingLeft;
          return made;
        });
      },
    }),
  ];
}

async function askedAtLine(command, uri, line, entry) {
  // Ask about a function or an assertion, and show the run as a list of locations.
  const here = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
  if (here?.isDirty) await here.save();
  const params = { command, arguments: [uri, line, entry] };
  const found = await server.one.request("workspace/executeCommand", params);
  if (found.answer === "unsafe") await showRun(uri, line, found.run);
  return found;
}

async function showRun(uri, line, run) {
  const places = run.map((step) => location(step.location));
  const position = new vscode.Position(line - 1, 0);
  const none = "sea-py: no run is known of this line";
  const command = "editor.action.goToLocations";
  await vscode.commands.executeCommand(command, vscode.Uri.parse(uri), position, places, "peek", none);
}

async function shownHere() {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isOurs(editor.document)) return;
  const uri = editor.document.uri.toString();
  const line = editor.selection.active.line + 1;
  const params = { command: "sea-py.run", arguments: [uri, line] };
  await showRun(uri, line, await server.one.request("workspace/executeCommand", params));
}

function stopped() {
  for (const token of server.running.keys()) server.one.notify("window/workDoneProgress/cancel", { token });
}

async function restarted() {
  await deactivate();
  server = start();
}

function activate(context) {
  server = start();
  const { registerCommand } = vscode.commands;
  context.subscriptions.push(
    registerCommand("sea-py.prove", (...rest) => askedAtLine("sea-py.prove", ...rest)),
    registerCommand("sea-py.findInput", (...rest) => askedAtLine("sea-py.findInput", ...rest)),
    registerCommand("sea-py.showRun", shownHere),
    registerCommand("sea-py.stop", stopped),
    registerCommand("sea-py.restart", restarted),
  );
}

async function deactivate() {
  const old = server;
  server = undefined;
  if (old === undefined) return;
  old.dispose();
  await old.one.stop();
}

module.exports = { activate, deactivate };
