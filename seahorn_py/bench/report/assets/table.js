/* The table of tasks x configurations: sorted, filtered, and only as much of it drawn as is seen. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const [STATUS, ANSWER, CPU, WALL, MEMORY, SCORE, WHY, ENDED, STARTED, LOGS, WITNESSES, INPUTS] =
    Array(12).keys();
  const MEASURES = { "CPU s": CPU, "wall s": WALL, "memory MiB": MEMORY };
  const COUNTS = ["correct answers", "score"];
  const FACTS = ["task", "category", "property", "data model", "expected"];
  const ROW = 28, SPARE = 20;
  const KINDS = {
    both: ["#0072b2", "both correct"],
    one: ["#e69f00", "one correct"],
    neither: ["#8a94a0", "none correct"],
    wrong: ["#c62828", "one wrong"],
  };
  const at = (id) => document.getElementById(id);
  const columns = data.columns;
  const tasks = data.tasks.map((facts, index) => ({
    facts,
    found: facts.map((fact) => fact.toLowerCase()),
    cells: columns.map((column) => column.cells[index]),
  }));
  const order = new Intl.Collator("en", { numeric: true });
  const choice = { texts: FACTS.map(() => ""), statuses: columns.map(() => ""), differs: false };
  let measure = "CPU s", sorted = { key: null, falls: false }, visible = tasks;

  function made(name, properties = {}, ...inside) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
  }

  function status(cell) {
    return cell ? data.statuses[cell[STATUS]] : "missing";
  }

  function value(cell) {
    return cell ? cell[MEASURES[measure]] : null;
  }

  function amount(number) {
    return measure === "memory MiB" ? String(Math.round(number)) : number.toFixed(2);
  }

  /* ------------------------------------------------------------------ which tasks, in which order */

  function isWanted(task) {
    const texts = choice.texts.every((text, number) =>
      !text || (number === 0 ? task.found[0].includes(text) : task.facts[number] === text.slice(1)));
    const statuses = choice.statuses.every((wanted, number) =>
      !wanted || wanted === status(task.cells[number]) || (task.cells[number] && wanted === `=${task.cells[number][ANSWER]}`));
    const answers = () => new Set(task.cells.map((cell) => (cell ? cell[ANSWER] : ""))).size > 1;
    return texts && statuses && (!choice.differs || answers());
  }

  /* What a key sorts by: a fact of the task, the answer of a configuration, or its measure. */
  function sortValue(key) {
    const [kind, number] = key;
    if (kind === "fact") return (task) => task.facts[number];
    if (kind === "answer") return (task) => `${status(task.cells[number])} ${task.cells[number]?.[ANSWER]}`;
    return (task) => value(task.cells[number]);
  }

  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" ? a - b : order.compare(a, b);
  }

  function choose() {
    visible = tasks.filter(isWanted);
    if (sorted.key) {
      const by = sortValue(sorted.key), sign = sorted.falls ? -1 : 1;
      const keyed = visible.map((task) => [by(task), task]);
      keyed.sort((a, b) => (a[0] === null || b[0] === null ? compare(a[0], b[0]) : sign * compare(a[0], b[0])));
      visible = keyed.map((pair) => pair[1]);
    }
    at("count").value = `${visible.length} of ${tasks.length} tasks`;
    at("window").scrollTop = 0;
    head.sums();
    drawRows();
    drawPlots();
  }

  /* ------------------------------------------------------------------ the head of the table */

  const head = (() => {
    const buttons = [], sums = [];
    const names = made("tr"), filters = made("tr");

    function sortButton(text, key, title) {
      const button = made("button", { type: "button", textContent: text, title: title ?? "" });
      const th = made("th", { scope: "col" }, button);
      button.addEventListener("click", () => {
        const again = sorted.key === key;
        sorted = again && sorted.falls ? { key: null, falls: false } : { key, falls: again };
        relabel();
        choose();
      });
      buttons.push({ th, button, key, name: () => (key[0] === "measure" ? measure : text) });
      return th;
    }

    function relabel() {
      for (const { th, button, key, name } of buttons) {
        const order = sorted.key !== key ? "none" : sorted.falls ? "descending" : "ascending";
        th.setAttribute("aria-sort", order);
        button.textContent = name() + { none: "", ascending: " ▲", descending: " ▼" }[order];
      }
    }

    function menu(label, words, changed) {
      const select = made("select", { ariaLabel: label });
      select.append(made("option", { value: "", textContent: "all" }));
      for (const [word, text] of words) select.append(made("option", { value: word, textContent: text }));
      select.addEventListener("change", () => { changed(select.value); choose(); });
      return made("th", {}, select);
    }

    function distinct(values) {
      return [...new Set(values)].sort(order.compare);
    }

    FACTS.forEach((name, number) => {
      names.append(sortButton(name, ["fact", number]));
      if (number === 0) {
        const input = made("input", { type: "search", placeholder: "part of the name", ariaLabel: "name of the task" });
        input.addEventListener("input", () => { choice.texts[0] = input.value.toLowerCase(); choose(); });
        filters.append(made("th", {}, input));
      } else {
        const words = distinct(tasks.map((task) => task.facts[number])).map((word) => [`=${word}`, word || "(none)"]);
        filters.append(menu(name, words, (word) => { choice.texts[number] = word; }));
      }
    });
    columns.forEach((column, number) => {
      const th = sortButton(column.label, ["answer", number], column.label);
      th.className = "first";
      names.append(th, sortButton(measure, ["measure", number]));
      const cells = column.cells.filter(Boolean);
      const words = distinct(tasks.map((task) => status(task.cells[number]))).map((word) => [word, word]);
      const answers = distinct(cells.map((cell) => cell[ANSWER])).map((word) => [`=${word}`, word]);
      const filter = menu(`answer of ${column.label}`, [...words, ...answers], (word) => { choice.statuses[number] = word; });
      filter.className = "first";
      const line = made("th", { className: "sums number" });
      sums.push(line);
      filters.append(filter, line);
    });
    const widths = [400, 140, 140, 105, 150, ...columns.flatMap(() => [165, 140])];
    const group = made("colgroup");
    for (const width of widths) group.append(made("col", { width }));
    at("tasks").style.width = `${widths.reduce((a, b) => a + b)}px`;
    at("tasks").append(group, made("thead", {}, names, filters));

    return {
      sums() {
        columns.forEach((_, number) => {
          const cells = visible.map((task) => task.cells[number]).filter(Boolean);
          const score = cells.reduce((sum, cell) => sum + cell[SCORE], 0);
          const right = cells.filter((cell) => status(cell) === "correct").length;
          sums[number].textContent = `${right} right, ${score} pts`;
          sums[number].title = `${right} correct, score ${score}`;
        });
      },
      relabel,
      reset() {
        for (const field of filters.querySelectorAll("input, select")) field.value = "";
        choice.texts.fill("");
        choice.statuses.fill("");
        choice.differs = at("differs").checked = false;
        choose();
      },
    };
  })();

  /* ------------------------------------------------------------------ the rows that are seen */

  const body = made("tbody");
  at("tasks").append(body);
  const width = FACTS.length + 2 * columns.length;

  function space(rows) {
    const td = made("td", { colSpan: width });
    td.style.height = `${rows * ROW}px`;
    return made("tr", { className: "space" }, td);
  }

  function drawn(task) {
    const row = made("tr");
    task.facts.forEach((fact, number) => {
      const inside = number ? fact : made("button", { type: "button", textContent: fact });
      if (!number) inside.addEventListener("click", () => tell(task));
      row.append(made("td", { title: fact }, inside));
    });
    for (const cell of task.cells) {
      const text = cell ? cell[ANSWER] : "";
      const title = cell ? data.texts[cell[WHY]] : "";
      row.append(made("td", { className: `first ${status(cell)}`, title }, text));
      row.append(made("td", { className: "number" }, cell ? amount(value(cell)) : ""));
    }
    return row;
  }

  function drawRows() {
    const view = at("window");
    const first = Math.max(Math.floor(view.scrollTop / ROW) - SPARE, 0);
    const last = Math.min(first + Math.ceil(view.clientHeight / ROW) + 2 * SPARE, visible.length);
    const rows = visible.slice(first, last).map(drawn);
    body.replaceChildren(space(first), ...rows, space(visible.length - last));
  }

  /* ------------------------------------------------------------------ one task in full */

  function file([name, address]) {
    return address ? made("a", { href: address, textContent: name }) : name;
  }

  function list(pairs) {
    const dl = made("dl");
    for (const [name, ...values] of pairs) {
      if (values.some((found) => found !== "")) dl.append(made("dt", { textContent: name }), ...values.map((found) => made("dd", {}, found)));
    }
    return dl;
  }

  function tell(task) {
    const facts = [made("h3", { textContent: task.facts[0] })];
    facts.push(list(FACTS.slice(1).map((name, number) => [name, task.facts[number + 1]])));
    const inputs = task.cells.find(Boolean)[INPUTS];
    facts.push(list(inputs.map(([name, hash]) => ["input", `${name}\nSHA-256 ${hash || "unknown"}`])));
    task.cells.forEach((cell, number) => {
      if (!cell) return;
      const amounts = `${cell[CPU].toFixed(2)} s CPU, ${cell[WALL].toFixed(2)} s wall, ${cell[MEMORY]} MiB`;
      facts.push(made("h3", { textContent: columns[number].label }));
      facts.push(list([
        ["answer", `${cell[ANSWER]}: ${status(cell)}, score ${cell[SCORE]}`],
        ["why", data.texts[cell[WHY]]],
        ["took", amounts],
        ["ended", `${cell[ENDED]}; began ${cell[STARTED]}`],
        ["log", ...cell[LOGS].map(file)],
        ["witness", ...cell[WITNESSES].map(file)],
      ]));
    });
    at("facts").replaceChildren(...facts);
    at("details").showModal();
  }

  /* ------------------------------------------------------------------ plots of what is seen */

  function quantileLine(number) {
    const cells = visible.map((task) => task.cells[number]).filter(Boolean);
    const isScore = at("counted").value === "score";
    const wrong = cells.filter((cell) => status(cell) === "wrong");
    const start = isScore ? wrong.reduce((sum, cell) => sum + cell[SCORE], 0) : 0;
    const right = cells.filter((cell) => status(cell) === "correct");
    right.sort((a, b) => value(a) - value(b));
    let count = start;
    const points = right.map((cell) => [(count += isScore ? cell[SCORE] : 1), value(cell)]);
    return { label: columns[number].label, start, points };
  }

  function kind(a, b) {
    const found = [status(a), status(b)];
    if (found.includes("wrong")) return "wrong";
    return ["neither", "one", "both"][found.filter((word) => word === "correct").length];
  }

  function drawPlots() {
    const lines = columns.map((_, number) => quantileLine(number));
    plots.quantile(at("quantile"), lines, at("counted").value, measure);
    if (columns.length < 2) return;
    const [across, up] = [+at("across").value, +at("up").value];
    const pairs = visible.filter((task) => task.cells[across] && task.cells[up]);
    const points = pairs.map(({ cells }) => ({
      x: value(cells[across]), y: value(cells[up]), kind: kind(cells[across], cells[up]),
    }));
    const near = (index) => {
      const text = ({ facts }, { x, y }) => `${facts[0]}: ${amount(x)} and ${amount(y)}`;
      at("near").value = index < 0 ? "" : text(pairs[index], points[index]);
    };
    const labels = [across, up].map((number) => `${columns[number].label}, ${measure}`);
    plots.scatter(at("scatter"), points, KINDS, ...labels, near, (index) => tell(pairs[index]));
  }

  /* ------------------------------------------------------------------ everything together */

  function fill(id, words, chosen, changed) {
    const select = at(id);
    words.forEach(([word, text]) => select.append(made("option", { value: word, textContent: text })));
    select.value = chosen;
    select.addEventListener("change", () => changed(select.value));
  }

  fill("measure", Object.keys(MEASURES).map((name) => [name, name]), measure, (name) => {
    measure = name;
    head.relabel();
    choose();
  });
  fill("counted", COUNTS.map((name) => [name, name]), COUNTS[0], drawPlots);
  const labels = columns.map((column, number) => [String(number), column.label]);
  fill("across", labels, "0", drawPlots);
  fill("up", labels, "1", drawPlots);
  at("pairs").hidden = columns.length < 2;
  at("differs").parentElement.hidden = columns.length < 2;
  at("differs").addEventListener("change", () => { choice.differs = at("differs").checked; choose(); });
  at("reset").addEventListener("click", head.reset);
  at("window").addEventListener("scroll", () => window.requestAnimationFrame(drawRows));
  choose();
})();
