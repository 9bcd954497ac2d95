/* The page as a whole: tabs, search, keys, light and dark. */
(() => {
  const root = document.documentElement, find = byId("find"), found = byId("found");
  byId("verdict").textContent = page.answer;
  byId("verdict").classList.add(page.answer);
  byId("headline").replaceChildren(...linked(page.headline));
  byId("about").textContent = page.title;
  byId("about").title = page.title;
  if (page.back) Object.assign(byId("back"), { href: page.back, hidden: false });

  const tabs = [];
  function tab(name, panel) {
    const label = button("", () => open(name), name);
    label.setAttribute("role", "tab");
    tabs.push({ name, panel, label });
    byId("tabs").append(label);
    byId("panels").append(panel);
  }
  function open(name) {
    for (const each of tabs) {
      each.panel.hidden = each.name !== name;
      each.label.setAttribute("aria-selected", String(each.name === name));
      if (each.name === name && each.panel.shows) each.panel.shows();
    }
  }

  if (run) tab("Run", runPanel());
  tab("Answer", answerPanel());
  if (page.graphs.length) tab("Graph", graphPanel());
  if (page.assumptions.length) tab("Assumptions", assumptionsPanel());
  if (page.work.length) tab("Engines", enginesPanel());
  if (page.clauses) tab("Clauses", clausesPanel());
  open(tabs[0].name);

  /* ------------------------------------------------------------------------------ search */
  const MOST = 60;
  let hits = [], chosen = 0;
  function search() {
    const wanted = find.value.toLowerCase();
    hits = [];
    found.hidden = wanted.length < 1;
    if (found.hidden) return;
    const add = (kind, text, action) => { if (hits.length < MOST && text.toLowerCase().includes(wanted)) hits.push({ kind, text: text.trim(), action }); };
    for (const note of page.notes) add("note", note.text, () => source.point(note.at));
    page.files.forEach((file, k) => file.lines.forEach((text, n) => {
      add(`${shortened(file.name)}:${n + 1}`, text, () => source.point({ file: k, line: n + 1 }));
    }));
    if (run) run.steps.forEach((step, k) => {
      const text = [step.text, said(step)].filter(Boolean).join("  ");
      add(`step ${k + 1}`, text, () => { open("Run"); walk.go(k); });
    });
    chosen = 0;
    listed();
  }
  function listed() {
    const rows = hits.map(({ kind, text, action }, k) => {
      const row = button(k === chosen ? "chosen" : "", () => { chosen = k; action(); listed(); }, el("span", "kind", kind), el("span", "", text));
      return row;
    });
    found.replaceChildren(...(rows.length ? rows : [el("p", "", "Nothing is found.")]));
    if (rows[chosen]) rows[chosen].scrollIntoView({ block: "nearest" });
  }
  function closeSearch() {
    found.hidden = true;
    find.value = "";
    find.blur();
  }
  find.addEventListener("input", search);
  find.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeSearch();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      chosen = Math.max(0, Math.min(hits.length - 1, chosen + (event.key === "ArrowDown" ? 1 : -1)));
      listed();
    } else if (event.key === "Enter" && hits[chosen]) {
      hits[chosen].action();
      if (!event.shiftKey) found.hidden = true;
    } else return;
    event.preventDefault();
  });

  /* ---------------------------------------------------------------------- light and dark */
  function turn() {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (isDark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    try { localStorage.setItem("sea-py-theme", root.dataset.theme); } catch { /* a page on disk may have no storage */ }
  }
  try { root.dataset.theme = localStorage.getItem("sea-py-theme") || ""; } catch { /* as above */ }
  if (!root.dataset.theme) delete root.dataset.theme;
  byId("theme").addEventListener("click", turn);

  /* -------------------------------------------------------------------------------- keys */
  const steps = run && {
    ArrowRight: (event) => (event.shiftKey ? walk.over(1) : walk.go(walk.now + 1)),
    ArrowLeft: (event) => (event.shiftKey ? walk.over(-1) : walk.go(walk.now - 1)),
    Home: () => walk.go(0),
    End: () => walk.go(run.steps.length - 1),
  };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target === find || event.target.tagName === "SELECT";
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const number = Number(event.key) - 1;
    if (event.key === "/") find.focus();
    else if (event.key === "t") turn();
    else if (event.key === "Escape") closeSearch();
    else if (tabs[number]) open(tabs[number].name);
    else if (steps && steps[event.key]) steps[event.key](event);
    else return;
    event.preventDefault();
  });
  const key = (name) => el("kbd", "", name);
  const shown = run ? [key("←"), " ", key("→"), " step   ", key("⇧→"), " over calls   "] : [];
  byId("keys").append(...shown, key("1"), "…", key(String(tabs.length)), " tabs   ", key("/"), " search   ", key("t"), " light or dark");
  document.addEventListener("click", (event) => { if (!found.contains(event.target) && event.target !== find) found.hidden = true; });
  if (run && run.steps.length) walk.go(0);
  else if (page.notes.length) source.point(page.notes[0].at);
})();
