// The pictures over time, one panel an arm: which series each figure shows of an arm's data, and
// what it says in words below the panel's title.
"use strict";

// Bin middles, in seconds.
function times(n, width) {
  return Array.from({length: n}, (_, i) => (i + 0.5) * width);
}
function per_second(bins, width) {
  return bins.map(n => n / width);
}
function ratio(a, b) {
  return a.map((v, i) => b[i] > 0 ? v / b[i] : null);
}
function sum(bins) {
  return bins.reduce((a, b) => a + b, 0);
}
function sums(...lists) {
  return lists[0].map((_, i) => lists.reduce((all, list) => all + list[i], 0));
}
function percent(part, whole) {
  return whole > 0 ? short(100 * part / whole) + " %" : "-";
}

// Layers of a stack from the bottom up: each is drawn between its own sum and the one below.
function stack(layers) {
  layers = layers.filter((layer, i) => i === 0 || layer.values.some(v => v > 0));
  const data = [];
  let below = layers[0].values.map(() => 0);
  for (const layer of layers) {
    below = sums(below, layer.values);
    data.push(below);
  }
  const series = layers.map(layer => line(layer.label, layer.colour, {width: 0}));
  series[0].fill = fill(layers[0].colour, layers[0].hatched);
  const bands = layers.slice(1).map((layer, i) => ({
    series: [i + 2, i + 1], fill: fill(layer.colour, layer.hatched),
  }));
  return {data, series, bands, raw: layers.map(layer => layer.values)};
}

function in_stages(arm) {
  return arm.offered.some(([, rate]) => rate !== arm.offered[0][1]);
}

// The load in stages in another figure: to its scale where that counts requests, else its shape, up
// to nine tenths of the picture.
function offered_shape(u, arm, first, counts_requests) {
  if (!in_stages(arm)) return;
  const scale = counts_requests ? 1 : 0.9 * u.scales.y.max / arm.offered_per_s;
  const text = counts_requests ? "offered" : `offered, up to ${short(arm.offered_per_s)}/s`;
  course(u, arm.offered, first ? text : "", colour("muted"), scale);
}

// A figure's part for one arm: {x, data, series, bands?, raw?}: raw is what a reader is told where
// data is a sum.
const time_figures = {
  goodput: {
    unit: "/s",
    of(arm) {
      const s = arm.series;
      const measured = [times(s.offered.length, s.bin_s), per_second(s.completed, s.bin_s),
                        per_second(s.succeeded, s.bin_s)];
      const p = arm.predicted;
      const data = p ? uPlot.join([measured, [times(p.goodput.length, p.step_s), p.throughput,
                                              p.goodput]])
                     : measured;
      const series = [line("throughput", "service", {width: 1.25}), line("goodput", "measured")];
      if (p) series.push(dashed("predicted throughput", {width: 1.25}), dashed("predicted goodput"));
      return {x: data[0], data: data.slice(1), series,
              bands: [{series: [1, 2], fill: hatch("waste")}]};
    },
    // What was offered is in the picture, unless it is so much that it would flatten the rest.
    top: arm => {
      const done = Math.max(...per_second(arm.series.completed, arm.series.bin_s));
      return arm.offered_per_s <= 2 * done ? arm.offered_per_s : 0;
    },
    shows_offered: true,
    over(u, arm, first) {
      if (in_stages(arm)) return course(u, arm.offered, first ? "offered" : "", colour("muted"), 1);
      level(u, arm.offered_per_s, first ? "offered" : "", colour("muted"));
    },
    note: arm => `goodput ${short(arm.figures.goodput)}/s`,
  },
  queue: {
    unit: " waiting",
    of(arm) {
      const s = arm.series;
      const p = arm.predicted;
      const measured = [times(s.queue.length, s.bin_s), s.queue];
      const data = p ? uPlot.join([measured, [p.queue.map((_, i) => (i + 1) * p.step_s), p.queue]])
                     : measured;
      const series = [line("queue", "measured")];
      if (p) series.push(dashed("predicted queue"));
      if (arm.useful_queue === null) return {x: data[0], data: data.slice(1), series};
      // What stands above the useful queue is hatched.
      series.push({label: "", width: 0, points: {show: false}});
      return {x: data[0], data: data.slice(1).concat([data[0].map(() => arm.useful_queue)]), series,
              bands: [{series: [1, series.length], fill: hatch("waste")}]};
    },
    top: arm => arm.queue_places,
    over(u, arm, first) {
      const shown = arm.useful_queue !== null && (first || arm.queue_places !== arm.useful_queue);
      level(u, arm.queue_places, first ? "places " + short(arm.queue_places) : "", colour("muted"));
      if (shown) {
        level(u, arm.useful_queue, first ? "useful " + short(arm.useful_queue) : "",
              colour("waste"));
      }
    },
    note: arm => `peak ${short(Math.max(...arm.series.queue))}` +
                 (arm.useful_queue === null ? "" : `, useful ${short(arm.useful_queue)}`),
  },
  endings: {
    unit: "/s",
    of(arm) {
      const s = arm.series;
      const e = s.ended;
      return Object.assign({x: times(s.offered.length, s.bin_s)}, stack([
        {label: "succeeded", colour: "measured", values: per_second(e.succeeded, s.bin_s)},
        {label: "timed out", colour: "waste", hatched: true,
         values: per_second(e.timed_out, s.bin_s)},
        {label: "rejected", colour: "refused", values: per_second(e.rejected, s.bin_s)},
        {label: "error", colour: "other",
         values: per_second(sums(e.failed_status, e.connect_error, e.io_error), s.bin_s)},
      ]));
    },
    note: arm => `${short(arm.figures.succeeded)} of ${short(arm.figures.attempts)} succeeded`,
  },
  work: {
    unit: " %",
    of(arm) {
      const s = arm.series;
      const share = bins => bins.map(v => 100 * v / (s.bin_s * arm.workers));
      return Object.assign({x: times(s.offered.length, s.bin_s)}, stack([
        {label: "useful", colour: "measured", values: share(s.useful)},
        {label: "abandoned", colour: "waste", hatched: true, values: share(s.abandoned)},
        {label: "refusals", colour: "refused", values: share(s.refusals)},
        {label: "other", colour: "other", values: share(s.other)},
      ]));
    },
    upper: 100,
    note(arm) {
      const s = arm.series;
      const all = sum(s.useful) + sum(s.abandoned) + sum(s.refusals) + sum(s.other);
      return `${percent(sum(s.abandoned), all)} of the work abandoned`;
    },
  },
  amplification: {
    unit: " attempts a request",
    of(arm) {
      const s = arm.series;
      const measured = [times(s.offered.length, s.bin_s), ratio(s.attempts, s.offered)];
      const p = arm.predicted;
      const data = p ? uPlot.join([measured, [times(p.offered.length, p.step_s),
                                              ratio(p.attempts, p.offered)]])
                     : measured;
      const series = [line("amplification", "measured")];
      if (p) series.push(dashed("predicted"));
      return {x: data[0], data: data.slice(1), series};
    },
    over: (u, arm, first) => level(u, 1 + arm.retries, first ? "limit" : "", colour("muted")),
    top: arm => 1 + arm.retries,
    note: arm => `${short(arm.figures.amplification)} over the whole run`,
  },
};

// The latency figure has ages on its x axis, not time.
function age_part(arm) {
  const s = arm.series;
  const all = sum(s.age_taken) + sum(s.age_abandoned);
  const share = bins => bins.map(n => all > 0 ? 100 * n / all : 0).concat(0);
  const stacked = stack([
    {label: "taken", colour: "measured", values: share(s.age_taken)},
    {label: "abandoned", colour: "waste", hatched: true, values: share(s.age_abandoned)},
  ]);
  const stepped = uPlot.paths.stepped({align: 1});
  stacked.series.forEach(one => { one.paths = stepped; });
  return Object.assign({x: share(s.age_taken).map((_, i) => i * s.age_bin_ms)}, stacked);
}

const age_figure = {
  unit: " %",
  upper: 100,
  of: age_part,
  over: (u, arm, first) => upright(u, arm.timeout_ms, colour("ink"), first ? "timeout" : ""),
  note(arm) {
    const late = sum(arm.series.age_abandoned);
    return `${percent(late, late + sum(arm.series.age_taken))} after the timeout`;
  },
};
