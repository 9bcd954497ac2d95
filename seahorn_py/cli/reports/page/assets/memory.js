/* Blocks of the heap as boxes, layer below layer; above each box the variables that lead into it. */
const memoryView = (() => {
  const WIDTH = 164, HEAD = 22, CELL = 20, ASIDE = 38, BELOW = 22, TAGS = 24, MOST = 60, CELLS = 14, MARGIN = 2;
  const isAboutLost = /valid-mem(track|cleanup)/.test(page.headline);

  /* The blocks, with the variables that lead into them and the pointers between them. */
  function things(number, known) {
    const tags = new Map();
    const roots = (values, owner, keep) => {
      for (const [name, value] of values) {
        if (!value.to || !keep(name)) continue;
        const of = value.to.block;
        tags.set(of, [...(tags.get(of) || []), { name, owner, offset: value.to.offset, isNew: value.step === number }]);
      }
    };
    for (const { frame, at } of walk.stack(number)) {
      const fn = run.frames[frame].function;
      roots(known.frames.get(frame) || [], fn, (name) => scopes.isKnown(name, fn, at.line));
    }
    roots(known.frames.get(GLOBAL) || [], "global", () => true);
    return [...known.blocks.values()].slice(-MOST).map((block) => {
      const cells = [...block.cells].sort(([a], [b]) => a - b).map(([offset, cell]) => ({ offset, ...cell }));
      return { block, cells: cells.slice(0, CELLS), more: cells.length - CELLS, tags: tags.get(block.number) || [] };
    });
  }

  /* The layer of each block: one more than that of what leads to it, cycles apart. */
  function layered(shown) {
    const byNumber = new Map(shown.map((each) => [each.block.number, each]));
    const layer = new Map(), open = new Set();
    const visit = (number, least) => {
      if (!byNumber.has(number) || open.has(number) || (layer.get(number) ?? -1) >= least) return;
      layer.set(number, least);
      open.add(number);
      for (const cell of byNumber.get(number).cells) if (cell.to) visit(cell.to.block, least + 1);
      open.delete(number);
    };
    for (const each of shown) if (each.tags.length) visit(each.block.number, 0);
    for (const each of shown) if (!layer.has(each.block.number)) visit(each.block.number, 0);
    return layer;
  }

  function height({ cells, more }) {
    return HEAD + Math.max(1, cells.length + (more > 0 ? 1 : 0)) * CELL;
  }

  /* Layers from top to bottom; in each of them a block stands below what leads to it, if it can. */
  function place(shown) {
    const layer = layered(shown), wanted = new Map();
    const rows = [];
    for (const each of shown) (rows[layer.get(each.block.number)] ||= []).push(each);
    let y = MARGIN;
    for (const row of rows.filter(Boolean)) {
      row.sort((a, b) => (wanted.get(a.block.number) ?? 1e6) - (wanted.get(b.block.number) ?? 1e6) || a.block.number - b.block.number);
      const top = y + (row.some((each) => each.tags.length) ? TAGS : 0);
      row.forEach((each, k) => {
        each.x = k ? row[k - 1].x + WIDTH + ASIDE : MARGIN;
        if (wanted.has(each.block.number)) each.x = Math.max(each.x, wanted.get(each.block.number));
        each.y = top;
        each.cells.filter((cell) => cell.to).forEach((cell, n) => {
          if (!wanted.has(cell.to.block)) wanted.set(cell.to.block, each.x + n * (WIDTH + ASIDE));
        });
      });
      y = top + Math.max(...row.map(height)) + BELOW;
    }
    return y;
  }

  function cut(text, most) {
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  }

  function sizeText(block, number) {
    const size = `${block.size} ${block.size === 1 ? "byte" : "bytes"}`;
    if (block.freed) return "freed";
    return isAboutLost && number === run.steps.length - 1 ? "not freed" : size;
  }

  function drawn({ block, cells, more, tags, x, y }, number) {
    const group = drawnPart("g", { class: block.freed ? "block freed" : "block" });
    const tall = height({ cells, more });
    group.append(drawnPart("rect", { class: "body", x, y, width: WIDTH, height: tall, rx: 4 }));
    group.append(drawnPart("path", { class: "head", d: `M${x} ${y + HEAD} v${4 - HEAD} q0 -4 4 -4 h${WIDTH - 8} q4 0 4 4 v${HEAD - 4} z` }));
    group.append(drawnPart("text", { x: x + 8, y: y + 15 }, `block ${block.number + 1}`));
    group.append(drawnPart("text", { x: x + WIDTH - 8, y: y + 15, "text-anchor": "end", class: "faint" }, sizeText(block, number)));
    const from = block.freed > 0 ? `, freed in line ${block.freed}` : "";
    group.append(drawnPart("title", {}, `block ${block.number + 1}: ${block.size} bytes, allocated in line ${block.line}${from}`));
    cells.forEach((cell, k) => group.append(...cellParts(cell, x, y + HEAD + k * CELL, k, number)));
    if (!cells.length) group.append(drawnPart("text", { x: x + 8, y: y + HEAD + 14, class: "faint" }, "nothing written yet"));
    if (more > 0) group.append(drawnPart("text", { x: x + 8, y: y + HEAD + CELLS * CELL + 14, class: "faint" }, `${more} more`));
    let at = x;
    for (const tag of tags.slice(0, 4)) {
      const text = `${cut(tag.name, 14)}${tag.offset ? ` + ${tag.offset}` : ""}`, wide = text.length * 7.6 + 16;
      const pill = drawnPart("g", { class: block.freed ? "tag hanging" : "tag" });
      pill.append(drawnPart("rect", { class: tag.isNew ? "fresh" : "pill", x: at, y: y - 23, width: wide, height: 17, rx: 8 }));
      pill.append(drawnPart("text", { x: at + 8, y: y - 10 }, text), drawnPart("title", {}, `${tag.name} in ${tag.owner}`));
      pill.append(drawnPart("path", { class: "tip", d: `M${at + 12} ${y} l-4 -6 h8 z` }));
      group.append(pill);
      at += wide + 6;
    }
    return group;
  }

  function cellParts(cell, x, top, k, number) {
    const parts = [];
    if (cell.step === number) parts.push(drawnPart("rect", { class: "fresh", x: x + 1, y: top, width: WIDTH - 2, height: CELL - 1 }));
    if (k) parts.push(drawnPart("line", { class: "rule", x1: x, x2: x + WIDTH, y1: top, y2: top }));
    parts.push(drawnPart("text", { x: x + 8, y: top + 14, class: "faint" }, cut(cell.label, 12)));
    const text = cell.to ? `${cell.to.block + 1}${cell.to.offset ? ` + ${cell.to.offset}` : ""}` : cut(cell.text, 12);
    parts.push(drawnPart("text", { x: x + WIDTH - (cell.to ? 20 : 8), y: top + 14, "text-anchor": "end", class: cell.to ? "faint" : "" }, text));
    return parts;
  }

  /* From a cell to the head of a block: at its side if it is straight below or above, else from above. */
  function arrow(from, k, to) {
    const x = from.x + WIDTH - 10, y = from.y + HEAD + k * CELL + CELL / 2;
    const isOld = Boolean(from.block.freed);
    const [name, tip] = isOld ? ["old", "oldtip"] : to.block.freed ? ["gone", "gonetip"] : ["pointer", "tip"];
    const dot = drawnPart("circle", { class: tip, cx: x, cy: y, r: 2.6 });
    if (to.x === from.x || to.y <= from.y) {
      const end = to.x + WIDTH, level = to.y + HEAD / 2, out = Math.max(x, end) + 26;
      const path = drawnPart("path", { class: name, d: `M${x} ${y} C${out} ${y} ${out} ${level} ${end + 7} ${level}` });
      return [path, drawnPart("path", { class: tip, d: `M${end} ${level} l8 -4 v8 z` }), dot];
    }
    const end = to.x + WIDTH / 2;
    const path = drawnPart("path", { class: name, d: `M${x} ${y} C${x + 34} ${y} ${end} ${to.y - 40} ${end} ${to.y - 7}` });
    return [path, drawnPart("path", { class: tip, d: `M${end} ${to.y} l-4 -8 h8 z` }), dot];
  }

  return (number, known) => {
    const shown = things(number, known);
    if (!shown.length) return el("p", "quiet", "No block is allocated yet.");
    const low = place(shown), byNumber = new Map(shown.map((each) => [each.block.number, each]));
    const right = Math.max(...shown.map((each) => each.x)) + WIDTH + 36;
    const svg = drawnPart("svg", { role: "img", "aria-label": "blocks of the heap", width: right, height: low });
    for (const each of shown) svg.append(drawn(each, number));
    for (const each of shown) {
      each.cells.forEach((cell, k) => {
        const to = cell.to && byNumber.get(cell.to.block);
        if (to) svg.append(...arrow(each, k, to));
      });
    }
    return svg;
  };
})();
