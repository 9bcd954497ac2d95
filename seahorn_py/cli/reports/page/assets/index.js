"use strict";
const root = document.documentElement, find = document.getElementById("find");
function turn() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
}
document.getElementById("theme").addEventListener("click", turn);
find.addEventListener("input", () => {
  const wanted = find.value.toLowerCase();
  for (const row of document.querySelectorAll("#answers tbody tr"))
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
});
document.addEventListener("keydown", (event) => {
  if (event.target === find || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") { find.focus(); event.preventDefault(); }
  if (event.key === "t") turn();
});
