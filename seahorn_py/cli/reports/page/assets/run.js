/* The run: what is known after each step.  A copy of it is kept every so often, to go back from. */
const run = page.run;
const KEPT = 256, GLOBAL = -1;

const scopes = (() => {
  const globals = new Set(page.files.flatMap((file) => file.globals));
  const functions = new Map();
  for (const file of page.files) for (const each of file.functions) functions.set(each.name, each);
  const base = (name) => name.replace(/^\*+/, "").split(/[.[]/)[0];
  const localsOf = (name, of) => of ? of.locals.filter((local) => local.name === base(name)) : [];
  const isGlobal = (name, fn) => globals.has(base(name)) && !localsOf(name, functions.get(fn)).length;
  const isKnown = (name, fn, line) => {
    const found = localsOf(name, functions.get(fn));
    return !found.length || found.some((local) => local.first <= line && line <= local.last);
  };
  return { base, isGlobal, isKnown };
})();

class State {
  constructor(frames = new Map(), blocks = new Map()) {
    this.frames = frames;
    this.blocks = blocks;
  }

  copy() {
    const frames = new Map([...this.frames].map(([number, values]) => [number, new Map(values)]));
    const blocks = new Map([...this.blocks].map(([n, b]) => [n, { ...b, cells: new Map(b.cells) }]));
    return new State(frames, blocks);
  }

  take(step, number) {
    const fn = run.frames[step.frame].function;
    for (const { name, text, to } of step.changes) {
      if (name.endsWith("()")) continue;
      const frame = scopes.isGlobal(name, fn) ? GLOBAL : step.frame;
      if (!this.frames.has(frame)) this.frames.set(frame, new Map());
      const values = this.frames.get(frame), before = values.get(name);
      values.set(name, { text, to, step: number, was: before ? before.text : "" });
    }
    for (const event of step.heap) this.deed(event, number);
  }

  deed(event, number) {
    if (event.deed === "allocated") {
      const made = { number: event.block, size: event.size, line: event.line, freed: 0, cells: new Map(), step: number };
      this.blocks.set(event.block, made);
      return;
    }
    const block = this.blocks.get(event.block);
    if (!block) return;
    block.step = number;
    if (event.deed === "freed") { block.freed = event.line || -1; return; }
    for (const [offset, cell] of block.cells)
      if (offset < event.offset + event.size && event.offset < offset + cell.size) block.cells.delete(offset);
    if (event.deed === "copied") this.copied(block, event, number);
    else {
      const label = event.label || (event.deed === "filled" ? `+${event.offset} … +${event.offset + event.size - 1}` : `+${event.offset}`);
      block.cells.set(event.offset, { size: event.size, text: event.text, to: event.to, label, step: number });
    }
  }

  copied(block, event, number) {
    const from = event.source && this.blocks.get(event.source.block);
    const parts = from ? [...from.cells].filter(([o, c]) => o >= event.source.offset && o + c.size <= event.source.offset + event.size) : [];
    for (const [offset, cell] of parts)
      block.cells.set(event.offset + offset - event.source.offset, { ...cell, step: number });
    if (!parts.length)
      block.cells.set(event.offset, { size: event.size, text: "copied", to: null, label: `+${event.offset} … +${event.offset + event.size - 1}`, step: number });
  }
}

const walk = (() => {
  let now = -1, state = new State(), listeners = [];
  const kept = [new State()];
  function stateAt(number) {
    const slot = Math.min(kept.length - 1, Math.floor((number + 1) / KEPT));
    let from = slot * KEPT - 1;
    if (now >= from && now <= number) from = now;
    else state = kept[slot].copy();
    for (let k = from + 1; k <= number; k++) {
      state.take(run.steps[k], k);
      if ((k + 1) % KEPT === 0 && kept.length === (k + 1) / KEPT) kept.push(state.copy());
    }
    now = number;
    return state;
  }
  function go(number) {
    const wanted = Math.max(0, Math.min(run.steps.length - 1, number));
    stateAt(wanted);
    for (const listen of listeners) listen(wanted, state);
  }
  /* The stack at a step: frames, each with the line it is in. */
  function stack(number) {
    const step = run.steps[number], found = [];
    let frame = step.frame, at = step.at;
    for (let guard = 0; frame >= 0 && guard < 10000; guard++) {
      found.push({ frame, at });
      at = run.frames[frame].at;
      frame = run.frames[frame].parent;
    }
    return found;
  }
  /* The next step in this function or a caller of it. */
  function over(direction) {
    const around = new Set(stack(now).map((each) => each.frame));
    let k = now + direction;
    while (k > 0 && k < run.steps.length - 1 && !around.has(run.steps[k].frame)) k += direction;
    go(k);
  }
  return { go, over, stack, listen: (f) => listeners.push(f), get now() { return now; } };
})();

function change({ name, text }) {
  return text.startsWith("→") ? `${name} ${text}` : `${name} = ${text}`;
}

function said(step) {
  const changes = step.changes.map(change);
  const taken = step.taken === null ? [] : [String(step.taken)];
  return [...taken, ...changes].join(", ");
}

function runPanel() {
  const panel = el("div", "panel run");
  panel.id = "run";
  const slider = el("input");
  Object.assign(slider, { type: "range", min: 0, max: run.steps.length - 1, id: "slider" });
  slider.setAttribute("aria-label", "step");
  slider.addEventListener("input", () => walk.go(Number(slider.value)));
  const tool = (text, title, action) => Object.assign(button("tool", action, text), { title });
  const first = tool("|◀", "first step (Home)", () => walk.go(0));
  const back = tool("◀", "back (←)", () => walk.go(walk.now - 1));
  const next = tool("▶", "forward (→)", () => walk.go(walk.now + 1));
  const last = tool("▶|", "last step (End)", () => walk.go(run.steps.length - 1));
  [first.id, back.id, next.id, last.id] = ["first", "previous", "next", "last"];
  const count = Object.assign(el("output"), { id: "count" });
  const controls = Object.assign(el("div", "", first, back, next, last, slider, count), { id: "controls" });
  const list = Object.assign(el("div", "rows"), { id: "steps", tabIndex: 0 });
  const stack = Object.assign(el("div"), { id: "stack" });
  const memory = Object.assign(el("div"), { id: "memory" });
  const state = Object.assign(el("div", "", stack, memory), { id: "state" });
  panel.append(controls, list, state);
  memory.hidden = !run.steps.some((step) => step.heap.length);
  const rows = new Rows(list, 20, stepRow);
  rows.fill(run.steps.length);
  walk.listen((number, known) => {
    const step = run.steps[number];
    slider.value = number;
    count.textContent = `step ${number + 1} of ${run.steps.length}`;
    first.disabled = back.disabled = number === 0;
    next.disabled = last.disabled = number === run.steps.length - 1;
    source.at(step.at, said(step));
    rows.show(number);
    stack.replaceChildren(...stackView(number, known));
    if (!memory.hidden) memory.replaceChildren(el("div", "label", "Heap"), memoryView(number, known));
  });
  return panel;
}

const depths = new Map();
function depth(frame) {
  if (frame < 0) return -1;
  if (!depths.has(frame)) depths.set(frame, depth(run.frames[frame].parent) + 1);
  return depths.get(frame);
}

function stepRow(number) {
  const step = run.steps[number];
  const classes = [number === walk.now ? "here" : "", number === run.steps.length - 1 && page.answer === "unsafe" ? "last" : ""];
  const what = step.text || run.frames[step.frame].function;
  const row = el(
    "div", classes.join(" "),
    el("span", "nr", String(number + 1)),
    el("span", "at", `${"  ".repeat(Math.min(depth(step.frame), 12))}${run.frames[step.frame].function}:${step.at.line}`),
    el("span", "what", `${step.left_out ? `(${step.left_out} steps were not kept) ` : ""}${step.again ? "↻ " : ""}${what}`),
  );
  if (step.taken !== null) row.append(el("span", `gives ${step.taken}`, String(step.taken)));
  const changes = step.changes.map(change).join(", ");
  if (changes) row.append(el("span", "gives", changes));
  row.addEventListener("click", () => walk.go(number));
  return row;
}

function stackView(number, known) {
  const parts = [el("div", "label", "Calls and variables")];
  for (const { frame, at } of walk.stack(number)) {
    const { function: name } = run.frames[frame];
    const values = [...(known.frames.get(frame) || [])].filter(([key]) => scopes.isKnown(key, name, at.line));
    parts.push(frameView(name, at, values, number, frame === run.steps[number].frame));
  }
  const globals = known.frames.get(GLOBAL);
  if (globals) parts.push(frameView("globals", null, [...globals], number, false));
  const given = run.steps[number].changes.filter(({ name }) => name.endsWith("()"));
  if (given.length) parts.splice(1, 0, el("p", "quiet mono", given.map(({ name, text }) => `${name} returned ${text}`).join(", ")));
  return parts;
}

function frameView(name, at, values, number, isActive) {
  const link = at && at.file >= 0 ? button("place", () => source.point(at), placeText(at)) : "";
  const body = el("div", "values");
  const groups = new Map();
  for (const [key, value] of values) {
    const base = scopes.base(key);
    if (!groups.has(base)) groups.set(base, []);
    groups.get(base).push([key, value]);
  }
  for (const [base, members] of groups) {
    const isWhole = members.length === 1 && members[0][0] === base;
    const latest = members.reduce((most, [, value]) => Math.max(most, value.step), 0);
    const label = button("name", () => walk.go(latest), base);
    label.title = "go to where it got this value";
    body.append(label, isWhole ? valueView(members[0][1], number) : membersView(base, members, number));
  }
  return el("div", `frame${isActive ? " active" : ""}`, el("div", "", el("b", "", name), link), groups.size ? body : null);
}

function valueView(value, number) {
  const isNew = value.step === number;
  const was = isNew && value.was && value.was !== value.text ? el("span", "was", value.was) : null;
  return el("div", `value${isNew ? " changed" : ""}`, was, el("span", "", value.text));
}

function membersView(base, members, number) {
  const sorted = [...members].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  const cells = sorted.slice(0, 200).map(([key, value]) => {
    const name = key.slice(base.length).replace(/^\[(\d+)\]$/, "$1") || "=";
    return el("span", `cell${value.step === number ? " changed" : ""}`, el("i", "", name), el("b", "", value.text));
  });
  return el("div", "value", ...cells);
}
