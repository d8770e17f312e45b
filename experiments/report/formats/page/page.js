// Lays the pictures out: a row of panels for each row of arms, as many side by side as fit, all of
// one figure on the same axes. Draws them again when the width, the colours or the medium change.
"use strict";
const data = JSON.parse(document.getElementById("report-data").textContent);
const narrowest = 128;  // of a plot, in pixels
let paper = false;      // drawn for printing

// How many panels stand side by side, and how large a plot is.
function grid(width, n) {
  const fit = Math.max(1, Math.min(n, Math.floor((width - axis_width) / narrowest)));
  const per_row = Math.ceil(n / Math.ceil(n / fit));
  const plot = Math.min(560, Math.floor((width - axis_width) / per_row));
  return {per_row, plot, height: per_row === 1 ? 210 : plot > 220 ? 176 : 150};
}

function panel(row, at, size, title, note, mark) {
  const first = at % size.per_row === 0;
  const host = element("div", "panel");
  host.style.width = (first ? size.plot - 8 + axis_width : size.plot) + "px";
  host.style.paddingLeft = "0";
  const head = element("div", "panel-title", title);
  if (mark) head.append(" ", element("span", "mark", mark));
  const text = element("div", "panel-note", note);
  text.dataset.text = note;
  for (const e of [head, text]) e.style.paddingLeft = (first ? axis_width : 8) + "px";
  host.append(head, text);
  row.append(host);
  return {host, first, text, width: parseInt(host.style.width, 10)};
}

function blank(spot, height, text) {
  const box = element("div", "blank", text);
  box.style.height = height + "px";
  box.style.marginLeft = (spot.first ? axis_width : 8) + "px";
  spot.host.append(box);
}

// What a reader is told at the pointer.
function reading(figure, part, i) {
  const told = part.raw ? part.raw.map(values => values[i]) : part.data.map(values => values[i]);
  const texts = [];
  part.series.forEach((series, k) => {
    const v = told[k];
    if (series.label && v !== null && v !== undefined && (v !== 0 || !part.raw)) {
      texts.push(`${series.label} ${short(v)}`);
    }
  });
  return texts.join(", ") + figure.unit;
}

function mark_of(arm) {
  if (arm.status === "done") return arm.trusted ? "" : "untrusted";
  return arm.status.replace("_", " ");
}

const phone = 600;              // a column narrower than this shows first what went wrong
const unfolded = new Set();     // figures whose healthy arms were asked for

// A place for the healthy arms of a figure, drawn when it is opened.
function fold_healthy(host, id, n, draw_them) {
  const details = element("details", "healthy");
  details.append(element("summary", "", n === 1 ? "1 healthy arm" : `${n} healthy arms`));
  const inside = element("div");
  details.append(inside);
  host.append(details);
  const fill = () => { if (!inside.childElementCount) draw_them(inside); };
  details.addEventListener("toggle", () => {
    if (paper) return;  // opened for printing, not by the reader
    if (details.open) unfolded.add(id); else unfolded.delete(id);
    if (details.open) fill();
  });
  if (unfolded.has(id)) {
    details.open = true;
    fill();
  }
}

// All panels of one figure of arms: shared axes, so the extremes come first. On a phone the healthy
// arms are folded behind the others.
function draw_arms(host, figure, id, x_unit) {
  const parts = data.arms.map(arm => arm.series ? figure.of(arm) : null);
  let right = 0;
  let top = 0;
  data.arms.forEach((arm, i) => {
    if (!parts[i]) return;
    right = Math.max(right, parts[i].x[parts[i].x.length - 1]);
    if (figure.top) top = Math.max(top, figure.top(arm));
    for (const values of parts[i].data) for (const v of values) if (v > top) top = v;
  });
  const upper = figure.upper || nice(top * 1.04);
  const labelled = data.layout.rows.some(row => row.label);
  const width = host.clientWidth;
  const healthy = index => index !== null && data.arms[index].healthy;
  const of_rows = (into, shown) => data.layout.rows.forEach(row => {
    const cells = row.cells.map((index, at) => ({index, at})).filter(({index}) => shown(index));
    if (!cells.length) return;
    if (labelled) into.append(element("div", "row-label", row.label || "otherwise as above"));
    const line_of = element("div", "row");
    into.append(line_of);
    const size = grid(width, cells.length);
    cells.forEach(({index, at: column}, at) => {
      const arm = index === null ? null : data.arms[index];
      const part = index === null ? null : parts[index];
      const title = data.layout.columns[column];
      const note = part ? figure.note(arm) : " ";
      const spot = panel(line_of, at, size, title, note, arm ? mark_of(arm) : "");
      if (!part) {
        blank(spot, size.height, arm ? arm.why_blank : "not part of this experiment");
        return;
      }
      spot.host.dataset.arm = arm.name;
      spot.host.setAttribute("role", "img");
      spot.host.setAttribute("aria-label", `${host.dataset.title}, ${arm.name}: ${note}`);
      draw(spot.host, {
        width: spot.width, height: size.height, first: spot.first,
        data: [part.x].concat(part.data), series: part.series, bands: part.bands,
        sync: x_unit === " s" ? "time" : id,
        xRange: [0, right], yRange: [0, upper],
        xValues: (_, all) => all.map(v => short(v) + (v === 0 && spot.first ? x_unit : "")),
        under: u => { if (x_unit === " s") wash(u, arm.settle_s, arm.duration_s); },
        over(u) {
          if (x_unit === " s" && !figure.shows_offered) {
            offered_shape(u, arm, spot.first, figure.unit === "/s");
          }
          if (figure.over) figure.over(u, arm, spot.first);
        },
        moved(u) {
          const i = u.cursor.idx;
          spot.text.textContent = i === null || i === undefined
              ? spot.text.dataset.text
              : `${short(part.x[i])}${x_unit}: ${reading(figure, part, i)}`;
        },
      });
    });
  });
  const n = data.arms.filter(arm => arm.healthy).length;
  if (width >= phone || paper || n === 0 || n === data.arms.length) return of_rows(host, () => true);
  of_rows(host, index => index !== null && !healthy(index));
  fold_healthy(host, id, n, inside => of_rows(inside, healthy));
}

function draw_cliff(host) {
  let x0 = Infinity;
  let x1 = 0;
  let top = 0;
  for (const cliff of data.cliffs) {
    for (const p of cliff.points) {
      x0 = Math.min(x0, p.rate);
      x1 = Math.max(x1, p.rate);
      for (const w of ["whole", "settled"]) if (p[w]) top = Math.max(top, p[w].value, p[w].high);
    }
    for (const p of cliff.predicted) {
      x0 = Math.min(x0, p.rate);
      x1 = Math.max(x1, p.rate);
      top = Math.max(top, p.whole, p.settled);
    }
    top = Math.max(top, cliff.ceiling_per_s);
  }
  const spare = (x1 - x0 || x1) * 0.06;
  const range = {x0: Math.max(0, x0 - spare), x1: x1 + spare, top: nice(top * 1.05)};
  const windows = [["settled", "settled part of the run"], ["whole", "whole run"]];
  for (const cliff of data.cliffs) {
    if (cliff.label) host.append(element("div", "row-label", cliff.label));
    const row = element("div", "row");
    host.append(row);
    const size = Object.assign(grid(host.clientWidth, 2));
    size.height = 210;
    windows.forEach(([window, title], at) => {
      const spot = panel(row, at, size, title, "offered per second →", "");
      spot.host.setAttribute("role", "img");
      spot.host.setAttribute("aria-label", `goodput against load, ${title}, ${cliff.label}`);
      cliff_panel(spot.host, cliff, window, {width: spot.width, height: size.height}, range,
                  spot.first);
    });
  }
}

function draw_errors(host) {
  // The scale is the trusted arms'; a disturbed one must not hide them.
  const trusted = data.errors.filter(errors => errors.trusted);
  let most = 0;
  for (const errors of trusted.length ? trusted : data.errors) {
    for (const count of errors.counts) {
      for (const [which] of error_marks) most = Math.max(most, Math.abs(count[which] || 0));
    }
  }
  const limit = nice(most * 1.1 || 0.1);
  const row = element("div", "row");
  host.append(row);
  const width = host.clientWidth;
  const per_row = Math.max(1, Math.min(4, data.errors.length, Math.floor(width / 250)));
  const size = Math.min(420, Math.floor(width / per_row));
  data.errors.forEach((errors, at) => {
    const spot = panel(row, at, {per_row: 1, plot: size + 8 - axis_width}, errors.arm,
                       "% of all attempts ", "");
    if (!errors.trusted) spot.text.append(element("span", "mark", "untrusted"));
    for (const e of spot.host.children) e.style.paddingLeft = "84px";
    spot.host.setAttribute("role", "img");
    spot.host.setAttribute("aria-label", `prediction error of each count, ${errors.arm}`);
    error_panel(spot.host, errors, {width: size, height: 176}, limit);
  });
}

function draw_all() {
  while (charts.length) charts.pop().destroy();
  for (const host of document.querySelectorAll(".picture")) {
    host.replaceChildren();
    const id = host.dataset.figure;
    if (time_figures[id]) draw_arms(host, time_figures[id], id, " s");
    if (id === "latency") draw_arms(host, age_figure, id, " ms");
    if (id === "cliff") draw_cliff(host);
    if (id === "errors") draw_errors(host);
  }
  document.documentElement.dataset.drawn = charts.length;
}

// The numbers of a picture over time, made when they are asked for.
function fill_bins(details) {
  if (details.dataset.filled) return;
  details.dataset.filled = "1";
  const id = details.dataset.bins;
  const figure = time_figures[id] || age_figure;
  const arms = data.arms.filter(arm => arm.series);
  const parts = arms.map(arm => figure.of(arm));
  const table = element("table");
  const head = element("tr");
  head.append(element("th", "", time_figures[id] ? "s" : "ms"));
  parts.forEach((part, i) => part.series.filter(series => series.label).forEach(series => {
    head.append(element("th", "", `${arms[i].name}: ${series.label}`));
  }));
  table.createTHead().append(head);
  const xs = Array.from(new Set(parts.flatMap(part => Array.from(part.x)))).sort((a, b) => a - b);
  const body = table.createTBody();
  const indices = parts.map(part => new Map(Array.from(part.x, (x, i) => [x, i])));
  for (const x of xs) {
    const row = body.insertRow();
    row.append(element("th", "", short(x)));
    parts.forEach((part, k) => (part.raw || part.data.slice(0, part.series.filter(s => s.label).length)).forEach(values => {
      const i = indices[k].get(x);
      row.insertCell().textContent = i === undefined || values[i] === undefined ? ""
                                                                               : short(values[i]);
    }));
  }
  const scroll = element("div", "scroll");
  scroll.append(table);
  details.append(scroll);
}

for (const details of document.querySelectorAll("details[data-bins]")) {
  details.addEventListener("toggle", () => { if (details.open) fill_bins(details); });
}

// On a phone (report.css says how wide that is) the rows of healthy arms wait behind a button, in the tables that have
// other arms too.
function fold_rows() {
  const names = new Set(data.arms.filter(arm => arm.healthy).map(arm => arm.name));
  if (names.size === 0 || names.size === data.arms.length) return;
  for (const table of document.querySelectorAll("main table")) {
    let inside = false;
    const seen = new Set();
    for (const row of table.tBodies[0].rows) {
      const name = row.cells[0].textContent;
      if (row.classList.contains("first") || name) inside = names.has(name);
      row.classList.toggle("healthy", inside);
      if (inside && name) seen.add(name);
    }
    if (seen.size === 0) continue;
    const button = element("button", "unfold", seen.size === 1 ? "1 healthy arm" : `${seen.size} healthy arms`);
    button.type = "button";
    button.addEventListener("click", () => {
      table.classList.add("unfolded");
      button.remove();
    });
    table.parentElement.after(button);
  }
}
fold_rows();

let drawn_width = 0;
let waiting = 0;
function redraw_if_wider_or_narrower() {
  if (document.body.clientWidth === drawn_width || paper) return;
  drawn_width = document.body.clientWidth;
  draw_all();
}
window.addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(redraw_if_wider_or_narrower, 100);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw_all);

// On paper: light, as wide as the page, with every short table of numbers open.
function to_paper(on) {
  if (on === paper) return;
  paper = on;
  const root = document.documentElement;
  if (on) {
    root.dataset.paper = "1";
    document.body.style.width = "690px";
    for (const d of document.querySelectorAll("details:not([data-bins]):not([open])")) {
      d.open = true;
      d.dataset.opened = "1";
    }
  } else {
    delete root.dataset.paper;
    document.body.style.width = "";
    for (const d of document.querySelectorAll("details[data-opened]")) {
      d.open = false;
      delete d.dataset.opened;
    }
  }
  draw_all();
}
window.addEventListener("beforeprint", () => to_paper(true));
window.addEventListener("afterprint", () => to_paper(false));
matchMedia("print").addEventListener("change", e => to_paper(e.matches));

redraw_if_wider_or_narrower();
