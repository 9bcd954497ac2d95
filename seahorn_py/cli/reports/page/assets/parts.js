"use strict";
/* Elements, and lists of which only what is seen is in the document. */
const page = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

/* An element with a class, a text or children; nothing is ever read as HTML. */
function el(name, className, ...inner) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...inner.filter((part) => part !== null && part !== undefined && part !== ""));
  return made;
}

function drawnPart(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function button(className, action, ...inner) {
  const made = el("button", className, ...inner);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

/* Rows of one height in a box that scrolls. */
class Rows {
  constructor(box, height, render) {
    this.box = box;
    this.height = height;
    this.render = render;
    this.count = 0;
    this.inner = el("div");
    box.replaceChildren(this.inner);
    let waits = false;
    box.addEventListener("scroll", () => {
      if (waits) return;
      waits = true;
      requestAnimationFrame(() => { waits = false; this.draw(); });
    });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  fill(count, width = "") {
    this.count = count;
    this.inner.style.height = `${count * this.height}px`;
    this.inner.style.width = width;
    this.draw();
  }

  draw() {
    const from = Math.max(0, Math.floor(this.box.scrollTop / this.height) - 8);
    const seen = Math.ceil(this.box.clientHeight / this.height) + 16;
    const rows = [];
    for (let k = from; k < Math.min(this.count, from + seen); k++) {
      const row = this.render(k);
      row.classList.add("row");
      row.style.top = `${k * this.height}px`;
      rows.push(row);
    }
    this.inner.replaceChildren(...rows);
  }

  show(number) {
    const top = number * this.height, box = this.box;
    const margin = Math.min(3 * this.height, box.clientHeight / 4);
    const isSeen = top >= box.scrollTop + margin && top <= box.scrollTop + box.clientHeight - margin - this.height;
    if (!isSeen) box.scrollTop = Math.max(0, top - box.clientHeight / 2);
    this.draw();
  }
}

/* The parts of a text; a place of a file that is shown is a button. */
const PLACES = /(\S+?):(\d+)(?::\d+)?/g;
const numberOf = new Map(page.files.map((file, number) => [file.name, number]));
function linked(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(PLACES)) {
    const name = found[1].replace(/^[("]+/, "");
    if (!numberOf.has(name)) continue;
    const start = found.index + found[1].length - name.length;
    parts.push(text.slice(at, start));
    at = found.index + found[0].length;
    const place = { file: numberOf.get(name), line: Number(found[2]) };
    parts.push(button("place", () => source.point(place), shortened(text.slice(start, at))));
  }
  parts.push(text.slice(at));
  return parts;
}

function shortened(name) {
  return name.replace(/^.*\//, "");
}

function placeText(at) {
  return at.file < 0 ? "" : `${shortened(page.files[at.file].name)}:${at.line}`;
}
