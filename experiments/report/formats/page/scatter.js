// The two pictures that are not one panel an arm: the cliff (goodput against load, measured points
// on the predicted line) and the prediction errors.
"use strict";

// A marker at canvas position (x, y): "dot", "ring", "diamond" or "square".
function marker(c, shape, x, y, ink, radius) {
  const r = (radius || 4) * devicePixelRatio;
  c.beginPath();
  if (shape === "diamond") {
    c.moveTo(x, y - r * 1.25);
    c.lineTo(x + r * 1.25, y);
    c.lineTo(x, y + r * 1.25);
    c.lineTo(x - r * 1.25, y);
    c.closePath();
  } else if (shape === "square") {
    c.rect(x - r, y - r, 2 * r, 2 * r);
  } else {
    c.arc(x, y, r, 0, 2 * Math.PI);
  }
  c.setLineDash([]);
  c.lineWidth = 1.5 * devicePixelRatio;
  c.strokeStyle = ink;
  c.fillStyle = shape === "dot" || shape === "diamond" ? ink : colour("paper");
  c.fill();
  c.stroke();
}

// Measured points with their intervals over the trusted repeats, published ones beside them.
function cliff_points(u, cliff, window) {
  const c = u.ctx;
  for (const p of cliff.points) {
    const at = p[window];
    const x = u.valToPos(p.rate, "x", true);
    c.save();
    if (window === "whole" && p.published !== null) {
      marker(c, "square", x, u.valToPos(p.published, "y", true), colour("service"));
    }
    if (at && at.low !== null) {
      c.strokeStyle = colour("measured");
      c.setLineDash([]);
      c.lineWidth = 1.5 * devicePixelRatio;
      const low = u.valToPos(at.low, "y", true);
      const high = u.valToPos(at.high, "y", true);
      const cap = 4 * devicePixelRatio;
      c.beginPath();
      c.moveTo(x, low);
      c.lineTo(x, high);
      for (const y of [low, high]) {
        c.moveTo(x - cap, y);
        c.lineTo(x + cap, y);
      }
      c.stroke();
    }
    if (at && at.value !== null) {
      marker(c, p.trusted ? "dot" : "ring", x, u.valToPos(at.value, "y", true),
             colour("measured"));
    }
    c.restore();
  }
}

function cliff_panel(host, cliff, window, size, range, first) {
  const xs = cliff.predicted.map(p => p.rate);
  const ends = [range.x0, range.x1];
  // The line on which everything offered succeeds, up to the ceiling.
  const limit = Math.min(range.x1, cliff.ceiling_per_s);
  const ideal = [[range.x0, limit, range.x1], [range.x0, limit, limit]];
  const tables = [ideal];
  if (xs.length) tables.push([xs, cliff.predicted.map(p => p[window])]);
  const joined = uPlot.join(tables);
  const series = [line("best possible", "refused", {width: 1.25, spanGaps: true})];
  if (xs.length) series.push(dashed("predicted goodput"));
  const told = cliff.points.filter(p => p[window] && p[window].value !== null);
  draw(host, {
    width: size.width, height: size.height, first, rightPad: 18,
    data: joined, series, xRange: ends, yRange: [0, range.top],
    xValues: (_, all) => all.map(short),
    over: u => cliff_points(u, cliff, window),
    moved(u) {
      const note = host.querySelector(".panel-note");
      if (u.cursor.idx === null || u.cursor.idx === undefined) {
        note.textContent = note.dataset.text;
        return;
      }
      const x = u.posToVal(u.cursor.left, "x");
      const near = told.slice().sort((a, b) => Math.abs(a.rate - x) - Math.abs(b.rate - x))[0];
      if (near) {
        note.textContent =
            `${short(near.rate)}/s offered: goodput ${short(near[window].value)}/s`;
      }
    },
  });
}

// A value off the scale: an arrow at the edge; the table has the number.
function beyond(u, side, x, y, ink) {
  const c = u.ctx;
  const r = 4 * devicePixelRatio;
  c.save();
  c.fillStyle = ink;
  c.beginPath();
  c.moveTo(x, y - r);
  c.lineTo(x + side * 1.6 * r, y);
  c.lineTo(x, y + r);
  c.fill();
  c.restore();
}

// Error of each count as a share of attempts: nominal, calibrated, replay.
// Marks that fall on one another stay told apart by their sizes.
const error_marks = [["nominal", "ring", 5.5], ["calibrated", "dot", 3], ["replay", "diamond", 1.5]];

function error_panel(host, errors, size, limit) {
  const n = errors.counts.length;
  const left = 84;
  draw(host, {
    width: size.width, height: size.height, first: true, rightPad: 14,
    data: [[-limit, limit], [null, null]],
    series: [{label: "error", stroke: colour("predicted"), points: {show: false}}],
    xRange: [-limit, limit], yRange: [-0.6, n - 0.4],
    xValues: (_, all) => all.map(v => (v > 0 ? "+" : v < 0 ? "−" : "") + short(Math.abs(v))),
    yWidth: left, ySplits: Array.from({length: n}, (_, i) => i),
    yText: v => errors.counts[n - 1 - v] ? errors.counts[n - 1 - v].name : "",
    over(u) {
      upright(u, 0, colour("ink"));
      errors.counts.forEach((count, i) => {
        const y = u.valToPos(n - 1 - i, "y", true);
        let outside = 0;
        for (const [which, shape, radius] of error_marks) {
          const value = count[which];
          if (value === null) continue;
          const ink = colour(which === "replay" ? "ink" : "predicted");
          if (Math.abs(value) <= limit) {
            marker(u.ctx, shape, u.valToPos(value, "x", true), y, ink, radius);
          } else {
            // Arrows of one count stand beside each other.
            const side = Math.sign(value);
            const edge = side > 0 ? u.bbox.left + u.bbox.width : u.bbox.left;
            beyond(u, side, edge - side * (8 + 9 * outside++) * devicePixelRatio, y, ink);
          }
        }
      });
    },
  });
}
