"use strict";
/* Plots as SVG: quantiles of each configuration, and two configurations task by task. */
const plots = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 640, FIELD = 390, LINE = 17;
  const LEFT = 62, RIGHT = 16, TOP = 10, BOTTOM = 46;
  /* Okabe and Ito's colours, which colour-blind people tell apart */
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555"];
  const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /* A picture with room for a legend above the field, which lies between `top` and `bottom`. */
  function canvas(label, legend) {
    const top = TOP + legend * LINE, bottom = top + FIELD;
    const view = `0 0 ${WIDTH} ${bottom + BOTTOM}`;
    const svg = element("svg", { viewBox: view, role: "img", "aria-label": label });
    return { svg, top, bottom, level: (number) => TOP + number * LINE + 4 };
  }

  function shown(value) {
    return value >= 1000 ? value.toLocaleString("en") : String(+value.toPrecision(3));
  }

  /* A scale is {place: value -> pixel, ticks: [value]}; values below the first tick lie on it. */
  function logarithmic(values, from, to) {
    const positive = values.filter((value) => value > 0);
    const low = Math.floor(Math.log10(positive.reduce((a, b) => Math.min(a, b), 1)));
    const high = Math.ceil(Math.log10(positive.reduce((a, b) => Math.max(a, b), 1)));
    const first = Math.max(low, high - 9), last = Math.max(high, first + 1);
    const ticks = [];
    for (let power = first; power <= last; power++) ticks.push(10 ** power);
    const place = (value) => {
      const power = value > 0 ? Math.max(Math.log10(value), first) : first;
      return from + ((power - first) / (last - first)) * (to - from);
    };
    return { place, ticks };
  }

  function linear(low, high, from, to) {
    const span = Math.max(high - low, 1);
    const rough = span / 6, power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max([1, 2, 5, 10].find((factor) => factor * power >= rough) * power, 1);
    const ticks = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(tick);
    return { place: (value) => from + ((value - low) / span) * (to - from), ticks };
  }

  function axes({ svg, top, bottom }, x, y, across, up) {
    const grid = element("g", { stroke: "#e3e7ec" });
    const texts = element("g", {});
    for (const tick of x.ticks) {
      const at = x.place(tick);
      grid.append(element("line", { x1: at, x2: at, y1: top, y2: bottom }));
      texts.append(element("text", { x: at, y: bottom + 16, "text-anchor": "middle" }, shown(tick)));
    }
    for (const tick of y.ticks) {
      const at = y.place(tick);
      grid.append(element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at }));
      texts.append(element("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" }, shown(tick)));
    }
    const middle = (LEFT + WIDTH - RIGHT) / 2, height = (top + bottom) / 2;
    texts.append(element("text", { x: middle, y: bottom + BOTTOM - 8, "text-anchor": "middle" }, across));
    const turned = { x: 0, y: 0, transform: `translate(14 ${height}) rotate(-90)` };
    texts.append(element("text", { ...turned, "text-anchor": "middle" }, up));
    svg.append(grid, texts);
  }

  function short(text, most) {
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  }

  /* lines: [{label, start, points: [[count, value]]}], each sorted by value */
  function quantile(place, lines, across, up) {
    const picture = canvas(`quantiles: ${up} by ${across}`, lines.length), { svg } = picture;
    const points = lines.flatMap((line) => line.points);
    const counts = lines.map((line) => line.start).concat(points.map((point) => point[0]), [0]);
    const low = counts.reduce((a, b) => Math.min(a, b));
    const high = counts.reduce((a, b) => Math.max(a, b));
    const x = linear(low, high, LEFT, WIDTH - RIGHT);
    const y = logarithmic(points.map((point) => point[1]), picture.bottom, picture.top);
    axes(picture, x, y, across, up);
    lines.forEach((line, number) => {
      const colour = COLOURS[number % COLOURS.length];
      const dash = DASHES[Math.floor(number / COLOURS.length) % DASHES.length];
      const way = line.points.map(([count, value]) => `${x.place(count).toFixed(1)} ${y.place(value).toFixed(1)}`);
      const look = { fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": dash };
      if (way.length) svg.append(element("path", { d: `M${way.join("L")}`, ...look, class: "line" }));
      if (way.length === 1) {
        const [at, height] = way[0].split(" ");
        svg.append(element("circle", { cx: at, cy: height, r: 3, fill: colour }));
      }
      const level = picture.level(number);
      svg.append(element("line", { x1: LEFT, x2: LEFT + 24, y1: level - 4, y2: level - 4, ...look }));
      svg.append(element("text", { x: LEFT + 32, y: level }, short(line.label, 75)));
    });
    place.replaceChildren(svg);
  }

  /* points: [{x, y, kind}], kinds: {kind: [colour, label]}; `near` is told the closest point */
  function scatter(place, points, kinds, across, up, near, chosen) {
    const picture = canvas(`${up} against ${across}`, Object.keys(kinds).length), { svg } = picture;
    const values = points.flatMap((point) => [point.x, point.y]);
    const x = logarithmic(values, LEFT, WIDTH - RIGHT);
    const y = logarithmic(values, picture.bottom, picture.top);
    axes(picture, x, y, short(across, 60), short(up, 44));
    const ends = [x.ticks[0], x.ticks[x.ticks.length - 1]];
    for (const [factor, dash] of [[1, ""], [10, "4 4"], [0.1, "4 4"]]) {
      const [from, to] = factor > 1 ? [ends[0], ends[1] / 10] : [factor < 1 ? ends[0] * 10 : ends[0], ends[1]];
      const line = { x1: x.place(from), y1: y.place(from * factor), x2: x.place(to), y2: y.place(to * factor) };
      svg.append(element("line", { ...line, stroke: "#aab3be", "stroke-dasharray": dash }));
    }
    const placed = points.map((point) => [x.place(point.x), y.place(point.y)]);
    Object.entries(kinds).forEach(([kind, [colour, label]], number) => {
      const dots = placed.filter((_, index) => points[index].kind === kind);
      const way = dots.map(([at, height]) => `M${at.toFixed(1)} ${height.toFixed(1)}h0`).join("");
      const look = { stroke: colour, "stroke-width": 6, "stroke-linecap": "round", "stroke-opacity": 0.6 };
      if (way) svg.append(element("path", { d: way, ...look, class: "dots" }));
      const level = picture.level(number);
      svg.append(element("path", { d: `M${LEFT + 6} ${level - 4}h0`, ...look }));
      svg.append(element("text", { x: LEFT + 16, y: level }, `${label}: ${dots.length}`));
    });
    const closest = (event) => {
      const box = svg.getBoundingClientRect();
      const at = ((event.clientX - box.left) * WIDTH) / box.width;
      const height = ((event.clientY - box.top) * (picture.bottom + BOTTOM)) / box.height;
      let best = -1, distance = 400;
      placed.forEach(([px, py], index) => {
        const away = (px - at) ** 2 + (py - height) ** 2;
        if (away < distance) [best, distance] = [index, away];
      });
      return best;
    };
    svg.addEventListener("mousemove", (event) => near(closest(event)));
    svg.addEventListener("click", (event) => {
      const index = closest(event);
      if (index >= 0) chosen(index);
    });
    place.replaceChildren(svg);
  }

  return { quantile, scatter, shown };
})();
