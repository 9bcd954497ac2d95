/* What is said of the answer: how it was checked, what it rests on, what engines did, the clauses. */
function sectionView({ title, lines, about }) {
  const list = el("ul", "lines", ...lines.map((line) => el("li", "", ...linked(line))));
  return el("section", "", el("h2", "", title), about ? el("p", "quiet", about) : null, list);
}

function answerPanel() {
  const panel = Object.assign(el("div", "panel"), { id: "answer" });
  if (run && run.inputs.length) panel.append(sectionView({ title: "What the run reads", lines: run.inputs, about: "" }));
  for (const section of page.facts.slice(0, -1)) panel.append(sectionView(section));
  const whole = page.facts.at(-1);
  panel.append(el("details", "", el("summary", "", whole.title), el("pre", "", whole.lines.join("\n"))));
  return panel;
}

function assumptionsPanel() {
  const panel = Object.assign(el("div", "panel"), { id: "assumptions" });
  panel.append(...page.assumptions.map(sectionView));
  panel.append(el("p", "quiet", "What is assumed where, and why: docs/reference/ledger.md. With --strict such an answer is unknown."));
  return panel;
}

function enginesPanel() {
  const panel = Object.assign(el("div", "panel"), { id: "engines" });
  const end = page.work.reduce((most, { began, seconds }) => Math.max(most, began + seconds), 0.001);
  const bars = el("div", "bars");
  for (const { place, engine, began, seconds, outcome } of page.work) {
    const bar = el("div", "bar");
    bar.style.left = `${(100 * began) / end}%`;
    bar.style.width = `${(100 * seconds) / end}%`;
    const time = `${began.toFixed(1)} to ${(began + seconds).toFixed(1)} s`;
    const name = el("div", "", el("span", "mono", engine), el("div", "time", place));
    bars.append(name, el("div", "track", bar), el("div", "", el("span", "", ...linked(outcome)), el("div", "time", time)));
  }
  panel.append(el("p", "quiet", `${page.work.length} attempts in ${end.toFixed(1)} seconds; a bar is the time that one took.`), bars);
  if (page.counted.length) panel.append(sectionView({ title: "What the engine that answered counted", lines: page.counted, about: "" }));
  return panel;
}

function clausesPanel() {
  const panel = Object.assign(el("div", "panel"), { id: "clauses" });
  panel.append(el("p", "quiet", "The Horn clauses of the program, as sea-py smt prints them. The program is safe if they have a solution."));
  panel.shows = () => { if (panel.childElementCount === 1) panel.append(el("pre", "", page.clauses)); };
  return panel;
}
