/* The control flow of a function, with the run or the invariants on it. */
function graphPanel() {
  const panel = Object.assign(el("div", "panel"), { id: "graph" });
  const choice = el("select");
  choice.setAttribute("aria-label", "function");
  choice.append(...page.graphs.map((graph, k) => Object.assign(el("option", "", `${graph.function} (${shortened(page.files[graph.file].name)})`), { value: k })));
  const drawing = el("div", "drawing");
  panel.append(choice, drawing);
  let shown = -1, boxes = [], ways = [];

  function boxAt(graph, step) {
    if (!step || step.at.file !== graph.file || run.frames[step.frame].function !== graph.function) return -1;
    const found = graph.boxes.map((box, k) => k).filter((k) => graph.boxes[k].rows.some(([a, b]) => a <= step.at.line && step.at.line <= b));
    return found.find((k) => graph.boxes[k].is_test) ?? found[0] ?? -1;
  }

  function draw(number) {
    shown = number;
    const graph = page.graphs[number];
    const svg = drawnPart("svg", { width: graph.width, height: graph.height, role: "img", "aria-label": `control flow of ${graph.function}` });
    ways = graph.ways.map((way) => {
      const group = drawnPart("g", {});
      const [x, y] = way.points.at(-1);
      group.append(drawnPart("path", { class: "way", d: line(way.points) }));
      group.append(drawnPart("path", { class: "wayhead", d: `M${x} ${y} l-4 -8 h8 z` }));
      svg.append(group);
      return group;
    });
    for (const way of graph.ways.filter(({ label }) => label)) {
      const box = graph.boxes[way.source], side = way.points[0][0] < box.x + box.width / 2 ? -1 : 1;
      const at = { x: way.points[0][0] + 6 * side, y: way.points[0][1] + 14, "text-anchor": side < 0 ? "end" : "start" };
      svg.append(drawnPart("text", { ...at, class: "faint waylabel" }, way.label));
    }
    boxes = graph.boxes.map((box) => {
      const group = drawnPart("g", { class: box.is_test ? "node test" : "node" });
      group.append(drawnPart("rect", { class: "box", x: box.x, y: box.y, width: box.width, height: box.height, rx: box.is_test ? 10 : 3 }));
      const lines = [...box.texts.map((text) => [text, ""]), ...box.notes.map((text) => [text, "said"])];
      lines.forEach(([text, kind], k) => {
        const failed = kind && page.answer !== "safe" ? (page.answer === "unsafe" ? " failed" : " obstacle") : "";
        group.append(drawnPart("text", { class: kind + failed, x: box.x + 10, y: box.y + 17 + k * 16 }, text));
      });
      group.addEventListener("click", () => chosen(graph, box));
      svg.append(group);
      return group;
    });
    drawing.replaceChildren(svg);
    choice.value = number;
    mark();
  }

  function line(points) {
    const [first, ...rest] = points;
    return `M${first[0]} ${first[1]} ${rest.map(([x, y]) => `L${x} ${y}`).join(" ")}`;
  }

  function chosen(graph, box) {
    const [from, to] = [box.rows[0][0], box.rows.at(-1)[1]];
    if (!from) return;
    const inBox = (k) => { const s = run.steps[k]; return s.at.file === graph.file && s.at.line >= from && s.at.line <= to; };
    if (run) {
      const all = run.steps.map((_, k) => k).filter(inBox);
      const next = all.find((k) => k > walk.now) ?? all[0];
      if (next !== undefined) { walk.go(next); return; }
    }
    source.point({ file: graph.file, line: from });
  }

  /* A way from box to box, perhaps over one that has no step of its own, as the `i++` of a loop. */
  function pass(graph, from, to, seen, passed) {
    const key = `${from} ${to}`;
    if (passed.has(key)) return;
    passed.add(key);
    if (graph.ways.some((way) => way.source === from && way.target === to)) return;
    const over = graph.ways.find((way) => way.source === from && !graph.boxes[way.target].is_test
      && graph.ways.some((next) => next.source === way.target && next.target === to));
    if (!over) return;
    seen.add(over.target);
    passed.add(`${from} ${over.target}`).add(`${over.target} ${to}`);
  }

  /* What the run has passed until now. */
  function mark() {
    if (!run || shown < 0 || panel.hidden) return;
    const graph = page.graphs[shown], seen = new Set(), passed = new Set();
    let before = -1;
    for (let k = 0; k <= walk.now; k++) {
      const at = boxAt(graph, run.steps[k]);
      if (at < 0) continue;
      seen.add(at);
      pass(graph, Math.max(before, 0), at, seen, passed);
      before = at;
    }
    const now = boxAt(graph, run.steps[walk.now]);
    boxes.forEach((group, k) => {
      group.classList.toggle("seen", seen.has(k));
      group.classList.toggle("current", k === now);
    });
    if (now >= 0) boxes[now].scrollIntoView({ block: "nearest", inline: "nearest" });
    graph.ways.forEach((way, k) => {
      const isSeen = passed.has(`${way.source} ${way.target}`);
      for (const part of ways[k].querySelectorAll("path")) part.classList.toggle("seen", isSeen);
    });
  }

  choice.addEventListener("change", () => draw(Number(choice.value)));
  panel.shows = () => {
    const here = run ? page.graphs.findIndex((g) => boxAt(g, run.steps[walk.now]) >= 0) : -1;
    draw(here >= 0 ? here : Math.max(shown, 0));
  };
  if (run) walk.listen(mark);
  return panel;
}
