// The page without this is whole; with it the page is live and has keys.
"use strict";

const $ = (selector) => document.querySelector(selector);

// Light or dark: as the system says, until somebody says otherwise.
const theme = $("#theme");
const chosen = localStorage.getItem("theme");
if (chosen) document.documentElement.dataset.theme = chosen;
theme.hidden = false;
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});

let quiet;
function tell(words) {
  $("#told").textContent = words;
  clearTimeout(quiet);
  quiet = setTimeout(() => { $("#told").textContent = ""; }, 2500);
}

// Copying. A browser only lets pages from this machine or over TLS write to the clipboard; elsewhere the
// text is selected for a person to copy.
async function copy(button) {
  const text = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(text.textContent);
    tell("Copied");
  } catch {
    getSelection().selectAllChildren(text);
    tell("Selected: copy it with Ctrl-C");
  }
}
function ready() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
ready();

// Live: when the server says that something has changed, the parts of this page that can change are fetched
// again. What a person has selected, folded open or focused is left alone.
const texts = new WeakMap();
let busy = false;
let again = false;
async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of document.querySelectorAll("[data-live]")) {
      const fresh = page.querySelector(`[data-live="${part.dataset.live}"]`);
      const selected = !getSelection().isCollapsed && getSelection().containsNode(part, true);
      const focused = part.contains(document.activeElement);
      if (!fresh || fresh.innerHTML === texts.get(part) || selected) continue;
      if (focused && part.dataset.live !== "list" || part.querySelector("details[open]")) continue;
      texts.set(part, fresh.innerHTML);
      part.className = fresh.className;
      part.replaceChildren(...fresh.childNodes);
      mark(focused);
    }
    ready();
  } catch {
    // The server is gone, or busy: the next event tells.
  } finally {
    busy = false;
    if (again) { again = false; refresh(); }
  }
}
let events;
function listen() {
  // Only while somebody looks: browsers have few connections for each server.
  if (document.hidden) {
    events?.close();
    events = undefined;
  } else if (!events && $("[data-live]")) {
    events = new EventSource("/events");
    events.addEventListener("change", refresh);
    events.addEventListener("open", refresh);
  }
}
document.addEventListener("visibilitychange", listen);
listen();

// The filter answers while it is changed.
const filter = $("#filter");
if (filter) {
  let soon;
  const apply = () => {
    const query = new URLSearchParams(new FormData(filter));
    for (const [name, value] of [...query]) if (!value) query.delete(name);
    history.replaceState(null, "", `/findings?${query}`);
    refresh();
  };
  filter.addEventListener("change", apply);
  filter.addEventListener("input", () => { clearTimeout(soon); soon = setTimeout(apply, 120); });
  filter.addEventListener("submit", (event) => { event.preventDefault(); apply(); });
}

// Keys.
let at = -1;
const rows = () => [...document.querySelectorAll(".list tbody tr, .newest li")];
function mark(move) {
  const all = rows();
  all.forEach((row, i) => row.classList.toggle("at", i === at));
  if (move) all[at]?.querySelector("a")?.focus();
}
function step(by) {
  const last = rows().length - 1;
  if (last < 0) return;
  at = Math.min(Math.max(at + by, 0), last);
  mark(true);
}
const help = $("#help");
$("#help-button").hidden = false;
$("#help-button").addEventListener("click", () => help.showModal());
const keys = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => ($("#search") ? $("#search").focus() : location.assign("/findings")),
  o: () => location.assign("/"),
  f: () => location.assign("/findings"),
  c: () => { const button = $("[data-copy]"); if (button) copy(button); },
  "?": () => (help.open ? help.close() : help.showModal()),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape" && event.target.matches("input")) { event.target.blur(); return; }
  if (event.target.matches("input, select, textarea")) return;
  const act = keys[event.key];
  if (act) { event.preventDefault(); act(); }
});
