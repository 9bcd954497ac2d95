/* The C files: lines with their colours, and notes below the lines that they are about. */
const source = (() => {
  let file = 0, items = [], rowOf = [], here = 0, inline = "", pointed = 0;
  const visited = page.files.map(() => new Set());
  for (const step of page.run ? page.run.steps : []) if (step.at.file >= 0) visited[step.at.file].add(step.at.line);
  const notes = page.files.map(() => new Map());
  for (const note of page.notes) {
    if (note.at.file < 0 || note.at.line < 1) continue;
    const lines = notes[note.at.file];
    lines.set(note.at.line, [...(lines.get(note.at.line) || []), note]);
  }
  const rows = new Rows(byId("source"), 20, (k) => (items[k].note ? noteRow(items[k]) : lineRow(items[k].line)));

  function lineRow(line) {
    const text = page.files[file].lines[line - 1], classes = [];
    if (visited[file].has(line)) classes.push("seen");
    if (page.at.file === file && page.at.line === line && page.answer === "unsafe") classes.push("goal");
    if (line === here) classes.push("here");
    if (line === pointed && line !== here) classes.push("pointed");
    const row = el("div", classes.join(" "), el("span", "number", String(line)), coloured(line, text));
    if (line === here && inline) row.append(el("span", "inline", inline));
    return row;
  }

  function coloured(line, text) {
    const code = el("span", "code");
    let at = 0;
    for (const [start, end, kind] of page.files[file].tokens[line - 1] || []) {
      code.append(text.slice(at, start), el("span", `c-${kind}`, text.slice(start, end)));
      at = end;
    }
    code.append(text.slice(at));
    return code;
  }

  function noteRow({ line, note }) {
    const text = page.files[file].lines[line - 1] || "";
    const margin = text.match(/^\s*/)[0];
    return el("div", `note ${note.kind}`, el("span", "number"), el("span", "", margin), el("span", "text", note.text));
  }

  function open(number) {
    file = number;
    items = [];
    rowOf = [];
    page.files[file].lines.forEach((_, k) => {
      rowOf[k + 1] = items.length;
      items.push({ line: k + 1 });
      for (const note of notes[file].get(k + 1) || []) items.push({ line: k + 1, note });
    });
    const longest = page.files[file].lines.reduce((most, line) => Math.max(most, line.length), 0);
    rows.fill(items.length, `calc(${longest + 48} * 1ch)`);
    for (const [k, tab] of [...byId("files").children].entries()) tab.setAttribute("aria-selected", String(k === file));
  }

  /* Where the run is now, with what changes there. */
  function at(place, said) {
    if (place.file < 0) return;
    if (place.file !== file) open(place.file);
    here = place.line;
    pointed = 0;
    inline = said;
    rows.show(rowOf[here] || 0);
  }

  /* A place that somebody asked for. */
  function point(place) {
    if (place.file < 0) return;
    if (place.file !== file) { here = 0; open(place.file); }
    pointed = place.line;
    rows.show(rowOf[pointed] || 0);
  }

  byId("files").append(...page.files.map((each, k) => {
    const tab = button("", () => { here = 0; open(k); }, shortened(each.name));
    tab.title = each.name;
    tab.setAttribute("role", "tab");
    return tab;
  }));
  if (page.files.length) open(0);
  return { at, point, open };
})();
