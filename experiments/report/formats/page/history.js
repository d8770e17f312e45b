// The history page: a panel for each arm that more than one run has, runs from left to right.
"use strict";
const runs = JSON.parse(document.getElementById("history-data").textContent);

// Arms by experiment, each with its runs: a run in which it is missing leaves a gap.
function arms_over_runs() {
  const experiments = new Map();
  runs.forEach(run => {
    if (!experiments.has(run.experiment)) experiments.set(run.experiment, {runs: [], arms: new Map()});
    experiments.get(run.experiment).runs.push(run);
  });
  for (const experiment of experiments.values()) {
    experiment.runs.forEach((run, at) => run.arms.forEach(arm => {
      if (!experiment.arms.has(arm.name)) {
        experiment.arms.set(arm.name, experiment.runs.map(() => null));
      }
      experiment.arms.get(arm.name)[at] = arm;
    }));
  }
  return experiments;
}

function spots(u, arms) {
  arms.forEach((arm, at) => {
    if (!arm || arm.settled_goodput === null && arm.whole_goodput === null) return;
    const value = arm.settled_goodput === null ? arm.whole_goodput : arm.settled_goodput;
    u.ctx.save();
    u.ctx.setLineDash([]);
    u.ctx.beginPath();
    u.ctx.arc(u.valToPos(at, "x", true), u.valToPos(value, "y", true), 3.5 * devicePixelRatio, 0,
              2 * Math.PI);
    u.ctx.fillStyle = arm.trusted ? colour("measured") : colour("paper");
    u.ctx.strokeStyle = colour("measured");
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.fill();
    u.ctx.stroke();
    u.ctx.restore();
  });
}

// What tells the runs of an experiment apart, shortest first: the day, the time, the second; a day
// before the time where there are several.
function times_of(runs) {
  const days = runs.map(run => run.finished.slice(5, 10));
  const differ = texts => new Set(texts).size === texts.length;
  if (differ(days)) return days;
  const one_day = new Set(runs.map(run => run.finished.slice(0, 10))).size === 1;
  for (const end of [16, 19]) {
    const texts = runs.map(run => (one_day ? "" : run.finished.slice(5, 11)) +
                                  run.finished.slice(11, end));
    if (differ(texts)) return texts;
  }
  // Of one second: numbered.
  const seen = new Map();
  return runs.map(run => {
    const text = (one_day ? "" : run.finished.slice(5, 11)) + run.finished.slice(11, 19);
    seen.set(text, (seen.get(text) || 0) + 1);
    return seen.get(text) > 1 ? `${text} ${seen.get(text)}` : text;
  });
}

// "+12/s (+5.3 %)": against the run before.
function change_text(arm) {
  const change = arm && arm.change;
  if (!change) return "";
  const sign = change.per_s < 0 ? "−" : "+";
  const share = change.share === null
      ? "" : ` (${sign}${short(Math.abs(100 * change.share))} %)`;
  return Math.abs(change.per_s) < 0.05
      ? "±0/s" : `${sign}${short(Math.abs(change.per_s))}/s${share}`;
}

function count_runs(n) {
  return n === 1 ? "1 run" : `${n} runs`;
}

function draw_experiment(host, experiment) {
  const n = experiment.runs.length;
  const width = host.clientWidth;
  const per_row = Math.max(1, Math.min(4, Math.floor(width / 260)));
  const size = Math.floor(width / per_row);
  const row = element("div", "row");
  host.append(row);
  const times = times_of(experiment.runs);
  let top = 0;
  for (const arms of experiment.arms.values()) {
    for (const arm of arms) if (arm) top = Math.max(top, arm.settled_goodput, arm.whole_goodput, arm.rate);
  }
  for (const [name, arms] of experiment.arms) {
    const spot = element("div", "panel");
    spot.style.width = size + "px";
    const latest = arms[arms.length - 1];
    const told = [count_runs(arms.filter(arm => arm).length)];
    if (latest && latest.change) told.push("the last " + change_text(latest));
    const note = element("div", "panel-note", told.join("; "));
    note.dataset.text = note.textContent;
    const title = element("div", "panel-title", name);
    for (const e of [title, note]) e.style.paddingLeft = axis_width + "px";
    spot.append(title, note);
    spot.setAttribute("role", "img");
    spot.setAttribute("aria-label", `goodput over runs, ${name}`);
    row.append(spot);
    if (!arms.some(arm => arm && (arm.settled_goodput !== null || arm.whole_goodput !== null))) {
      const box = element("div", "blank", "nothing was measured of it");
      box.style.height = "150px";
      box.style.marginLeft = axis_width + "px";
      spot.append(box);
      continue;
    }
    const of = key => arms.map(arm => arm ? arm[key] : null);
    draw(spot, {
      width: size, height: 150, first: true,
      data: [arms.map((_, i) => i), of("settled_goodput"), of("whole_goodput")],
      series: [line("settled", "measured", {spanGaps: true}),
               line("whole run", "service", {width: 1.25, dash: [6, 4], spanGaps: true})],
      xRange: [-0.3, Math.max(1, n - 1) + 0.3], yRange: [0, nice(top * 1.05)],
      xValues: (_, all) => all.map(v => Number.isInteger(v) && experiment.runs[v]
                                            ? times[v] : ""),
      over(u) {
        const rates = arms.filter(arm => arm).map(arm => arm.rate);
        if (rates.length && rates.every(rate => rate === rates[0])) {
          level(u, rates[0], "", colour("muted"));
        }
        spots(u, arms);
      },
      moved(u) {
        const arm = u.cursor.idx === null ? null : arms[u.cursor.idx];
        note.textContent = arm
            ? `${times[u.cursor.idx]}: settled ${short(arm.settled_goodput)}, whole ${
                short(arm.whole_goodput)}${arm.change ? ", " + change_text(arm) : ""}`
            : note.dataset.text;
      },
    });
  }
}

function draw_history() {
  while (charts.length) charts.pop().destroy();
  const host = document.getElementById("pictures");
  host.replaceChildren();
  for (const [name, experiment] of arms_over_runs()) {
    if (!name) continue;  // runs without a readable report
    host.append(element("div", "row-label", name));
    const part = element("div");
    host.append(part);
    draw_experiment(part, experiment);
  }
  document.documentElement.dataset.drawn = charts.length;
}

let history_width = 0;
function redraw_history() {
  if (document.body.clientWidth === history_width) return;
  history_width = document.body.clientWidth;
  draw_history();
}
window.addEventListener("resize", redraw_history);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw_history);
redraw_history();
