// One target's series on a grid of instants, kept up to date by asking only for what is new.
import { expression, limited, numberOf, seriesName } from './dashboard.mjs';

// Answers about the last moments change while scrapes come in; they are asked for again.
const unsettled = 3;  // seconds

export class Series {
  // `step`: seconds between instants; a divisor or multiple of a second.
  constructor(target, step, scrapeInterval, limits) {
    this.target = target;
    this.step = step;
    this.query = limited(expression(target.expr, { step, scrapeInterval }), limits);
    this.forget();
  }

  forget() {
    this.lines = new Map();  // name -> Map of grid index -> value
    this.asked = null;       // [first, last] grid index known so far
  }

  // Brings [from, to] (grid indices, both included) up to date.
  async update(prometheus, from, to) {
    if (this.asked && (from < this.asked[0] || from > this.asked[1] + 1)) this.forget();
    const first = this.asked ? Math.max(from, this.asked[1] - Math.ceil(unsettled / this.step)) : from;
    const result = await prometheus.range(this.query, first * this.step, to * this.step, this.step);
    for (const line of this.lines.values()) {
      for (const index of line.keys()) {
        if (index < from || index >= first) line.delete(index);
      }
    }
    for (const { metric, values } of result) {
      const name = seriesName(this.target, metric);
      if (!this.lines.has(name)) this.lines.set(name, new Map());
      const line = this.lines.get(name);
      for (const [time, text] of values) {
        const value = numberOf(text);
        if (value !== null) line.set(Math.round(time / this.step), value);
      }
    }
    for (const [name, line] of this.lines) {
      if (line.size === 0) this.lines.delete(name);
    }
    this.asked = [from, to];
  }

  // The values of one line at each instant of [from, to]; null where there is none.
  column(name, from, to) {
    const line = this.lines.get(name);
    return Array.from({ length: to - from + 1 }, (_, i) => line.get(from + i) ?? null);
  }
}
