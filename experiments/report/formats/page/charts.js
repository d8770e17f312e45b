// What every picture is made of: colours of the page, a panel with its chart, axes, reference
// lines, hatching. Which panels there are is figures.js's business.
"use strict";
const charts = [];  // live uPlot objects, to be taken down when the page is redrawn

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function element(tag, cls, text) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
}

// "1,234", "228.6", "79.5", "0.25": about three figures, and a decimal below 1,000.
function short(v) {
  if (v === null || v === undefined) return "-";
  const size = Math.abs(v);
  const digits = Number.isInteger(v) || size >= 1000 ? 0 : size >= 10 ? 1 : 2;
  return v.toLocaleString("en-US", {minimumFractionDigits: 0, maximumFractionDigits: digits});
}

// Diagonal lines over a light ground: work done in vain, told apart without colour too.
function hatch(name) {
  const tile = document.createElement("canvas");
  const size = Math.round(7 * devicePixelRatio);
  tile.width = tile.height = size;
  const c = tile.getContext("2d");
  const ink = colour(name);
  c.globalAlpha = 0.22;
  c.fillStyle = ink;
  c.fillRect(0, 0, size, size);
  c.globalAlpha = 0.85;
  c.strokeStyle = ink;
  c.lineWidth = 1.2 * devicePixelRatio;
  c.beginPath();
  for (const shift of [-size, 0, size]) {
    c.moveTo(shift, size);
    c.lineTo(shift + size, 0);
  }
  c.stroke();
  return c.createPattern(tile, "repeat");
}

function fill(name, hatched) {
  return hatched ? hatch(name) : colour(name);
}

// A measured line: solid. A predicted one: dashed. Points without a line: markers only.
function line(label, name, more) {
  return Object.assign({label, stroke: colour(name), width: 1.75, points: {show: false}}, more);
}
function dashed(label, more) {
  return line(label, "predicted", Object.assign({dash: [6, 4], width: 1.75, spanGaps: true}, more));
}

// A level that is no measurement: a limit of the scenario, named at its right end.
function level(u, y, text, ink) {
  if (y === null || y === undefined || y > u.scales.y.max) return;
  const c = u.ctx;
  const at = Math.round(u.valToPos(y, "y", true));
  const {left, width, top} = u.bbox;
  c.save();
  c.strokeStyle = ink;
  c.lineWidth = devicePixelRatio;
  c.setLineDash([devicePixelRatio, 3 * devicePixelRatio]);
  c.beginPath();
  c.moveTo(left, at);
  c.lineTo(left + width, at);
  c.stroke();
  if (text) {
    c.font = 10.5 * devicePixelRatio + "px system-ui, sans-serif";
    c.textAlign = "right";
    c.textBaseline = "alphabetic";
    const below = at - top < 14 * devicePixelRatio;
    const y2 = below ? at + 11 * devicePixelRatio : at - 3 * devicePixelRatio;
    c.lineWidth = 3 * devicePixelRatio;
    c.setLineDash([]);
    c.strokeStyle = colour("paper");
    c.strokeText(text, left + width - 3 * devicePixelRatio, y2);
    c.fillStyle = ink;
    c.fillText(text, left + width - 3 * devicePixelRatio, y2);
  }
  c.restore();
}

// A course that is no measurement: the scenario's load, through [x, y] corners. `scale` puts its
// values on the y axis of a picture that has another unit.
function course(u, corners, text, ink, scale) {
  const c = u.ctx;
  const {left, width, top, height} = u.bbox;
  const place = ([x, y]) => [u.valToPos(x, "x", true), u.valToPos(y * scale, "y", true)];
  c.save();
  c.beginPath();
  c.rect(left, top, width, height);
  c.clip();
  c.strokeStyle = ink;
  c.lineWidth = devicePixelRatio;
  c.setLineDash([devicePixelRatio, 3 * devicePixelRatio]);
  c.beginPath();
  corners.map(place).forEach(([x, y], i) => (i === 0 ? c.moveTo(x, y) : c.lineTo(x, y)));
  c.stroke();
  if (text) {
    const highest = corners.reduce((a, b) => (b[1] > a[1] ? b : a));
    const [x, y] = place(highest);
    c.font = 10.5 * devicePixelRatio + "px system-ui, sans-serif";
    c.textAlign = "left";
    c.textBaseline = "bottom";
    c.fillStyle = ink;
    c.fillText(text, x + 3 * devicePixelRatio, Math.max(y, top + 13 * devicePixelRatio));
  }
  c.restore();
}

// An instant or a value on the x axis, drawn from bottom to top.
function upright(u, x, ink, text) {
  if (x === null || x === undefined) return;
  const c = u.ctx;
  const at = Math.round(u.valToPos(x, "x", true));
  const {top, height} = u.bbox;
  c.save();
  c.strokeStyle = ink;
  c.lineWidth = 1.5 * devicePixelRatio;
  c.beginPath();
  c.moveTo(at, top);
  c.lineTo(at, top + height);
  c.stroke();
  if (text) {
    c.font = 10.5 * devicePixelRatio + "px system-ui, sans-serif";
    c.fillStyle = ink;
    c.textAlign = "left";
    c.textBaseline = "top";
    c.fillText(text, at + 4 * devicePixelRatio, top + 2 * devicePixelRatio);
  }
  c.restore();
}

// The settled window, a little darker than the ground.
function wash(u, from, to) {
  const left = u.valToPos(from, "x", true);
  const right = u.valToPos(to, "x", true);
  u.ctx.save();
  u.ctx.fillStyle = colour("window");
  u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
  u.ctx.restore();
}

const axis_width = 48;

// One chart in a panel. `first`: it carries the y axis for its row. `under` and `over` draw below and
// above the series; `moved` hears where the pointer is.
function draw(panel, spec) {
  const ink = colour("muted");
  const rule = {stroke: colour("grid"), width: 1};
  const font = "11px system-ui, -apple-system, Segoe UI, Roboto, sans-serif";
  const u = new uPlot({
    width: spec.width, height: spec.height,
    padding: [6, spec.rightPad === undefined ? 8 : spec.rightPad, 0, spec.first ? 0 : 8],
    legend: {show: false},
    cursor: {
      x: true, y: false, points: {size: 5},
      drag: {x: false, y: false},
      sync: spec.sync ? {key: spec.sync, setSeries: false} : undefined,
    },
    scales: {
      x: {time: false, range: spec.xRange},
      y: {range: spec.yRange},
    },
    axes: [
      {stroke: ink, font, grid: rule, ticks: Object.assign({size: 4}, rule), size: 24, gap: 3, space: 40,
       values: spec.xValues},
      // The others of a row share its y axis, and keep the grid.
      {stroke: ink, font, grid: rule, ticks: Object.assign({size: 4, show: spec.first}, rule),
       size: spec.first ? spec.yWidth || axis_width : 0, gap: spec.first ? 4 : 0, space: 26,
       splits: spec.ySplits,
       values: (u, all) => all.map(v => spec.first ? (spec.yText || short)(v) : "")},
    ],
    series: [{label: "x"}].concat(spec.series),
    bands: spec.bands,
    hooks: {
      drawClear: spec.under ? [spec.under] : [],
      draw: spec.over ? [spec.over] : [],
      setCursor: spec.moved ? [spec.moved] : [],
    },
  }, spec.data, panel);
  charts.push(u);
  panel.dataset.drawn = "1";
  return u;
}

function nice(top) {
  if (!(top > 0)) return 1;
  const unit = Math.pow(10, Math.floor(Math.log10(top)));
  for (const step of [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) {
    if (top <= step * unit * 1.0001) return step * unit;
  }
  return 10 * unit;
}
