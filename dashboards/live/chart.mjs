// One time-series panel: a uPlot chart over a legend that shows the value under the cursor, or the
// last one.
import { onGround } from './colours.mjs';
import { format, seriesStyle } from './dashboard.mjs';

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const height = 210;
const lateBy = 4;  // steps that the last sample may be behind

export class Chart {
  constructor(panel, sync) {
    this.panel = panel;
    this.sync = sync;
    this.names = [];
    this.data = [[]];
    this.root = document.createElement('figure');
    this.root.className = 'chart';
    this.plot = this.root.appendChild(document.createElement('div'));
    this.plot.className = 'plot';
    this.empty = this.plot.appendChild(document.createElement('p'));
    this.empty.className = 'empty';
    this.legend = this.root.appendChild(document.createElement('figcaption'));
  }

  // `names` and their `columns`, over the instants `times`, as the view wants it: its range, its
  // zero (if its axis counts from a start), its bands, and the instant whose values the legend shows.
  // Drawn by draw(), when it is known how high its axis must be.
  show(times, names, columns, view) {
    this.fresh = !( this.uplot && (view.zero === null) === (this.zero === null) && names.length === this.names.length && names.every((n, i) => n === this.names[i]));
    this.names = names;
    this.data = [times, ...columns];
    this.range = [view.from, view.to];
    this.zero = view.zero;
    this.instant = view.legend ?? view.instant;  // on the axis
    this.bands = view.bands ?? [];
  }

  // The highest value that is shown; 0 if none is.
  most() {
    return this.data.slice(1).reduce((most, column) => column.reduce((a, v) => (v > a ? v : a), most), 0);
  }

  // `most`: the highest value that the axis must hold, of this chart or of the one that it is compared with.
  draw(most) {
    this.top = most;
    if (this.fresh) {
      this.build();
    } else {
      this.uplot.setData(this.data, false);
      this.uplot.setScale('x', { min: this.range[0], max: this.range[1] });
    }
    const { names } = this;
    this.note(names.length > 0 ? '' : 'no data in this window');
    this.label(this.uplot.cursor.idx);
  }

  note(text) {
    this.empty.textContent = text;
    this.empty.hidden = text === '';
  }

  // Anew: other series, another width, other colours.
  build() {
    this.uplot?.destroy();
    const { unit, decimals } = this.panel.fieldConfig.defaults;
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const styles = this.names.map((name, i) => seriesStyle(this.panel, name, i))
      .map((style) => ({ ...style, color: onGround(style.color, dark) }));
    this.styles = styles;
    const axis = { stroke: css('--muted'), grid: { stroke: css('--grid'), width: 1 },
                   ticks: { show: false }, font: `12px ${css('--font')}` };
    this.uplot = new uPlot({
      width: Math.max(this.plot.clientWidth, 120), height,
      padding: [12, 30, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: this.sync.key }, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: { time: true, range: () => this.range },
        // From zero, always: a part of an axis makes small things look large.
        y: { range: () => [0, this.top > 0 ? this.top * 1.08 : 1] },
      },
      axes: [
        { ...axis, size: 28, space: 70,
          values: (_, ticks) => ticks.map((t) => (this.zero ? `${+(t - this.zero).toFixed(1)} s` : clock(t))),
          // From the start of a try, whole seconds after it.
          splits: this.zero ? (_, __, from, to) => wholeSeconds(from, to, this.zero) : undefined },
        { ...axis, size: 64, space: 32,
          values: (_, ticks) => ticks.map((v) => format(v, unit, decimals, ticks[1] - ticks[0] || 1)) },
      ],
      series: [{}, ...styles.map((style, i) => ({
        label: this.names[i], stroke: style.color, width: style.width, dash: style.dash ?? undefined,
        fill: style.fill > 0 ? style.color + alpha(style.fill) : undefined,
        points: { show: false }, spanGaps: false,
      }))],
      hooks: { drawClear: [(u) => this.drawBands(u)], setCursor: [(u) => this.label(u.cursor.idx)] },
    }, this.data, this.plot);
    this.keys = this.names.map((name, i) => key(name, styles[i]));
    this.legend.replaceChildren(...this.keys.map((k) => k.root));
  }

  // The tries of a run, behind the lines: while they send and, fainter, until they are over; named where there is
  // room.
  drawBands(u) {
    const { ctx, bbox } = u;
    const at = (x) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, u.valToPos(x, 'x', true)));
    ctx.save();
    ctx.fillStyle = css('--band');
    for (const { from, until, to, name } of this.bands) {
      const [left, middle, right] = [at(from), at(until), at(to)];
      ctx.globalAlpha = 1;
      ctx.fillRect(left, bbox.top, middle - left, bbox.height);
      ctx.globalAlpha = 0.45;
      ctx.fillRect(middle, bbox.top, right - middle, bbox.height);
      ctx.globalAlpha = 1;
      ctx.font = `${11 * devicePixelRatio}px ${css('--font')}`;
      const room = right - left - 10 * devicePixelRatio;
      if (!name || ctx.measureText(name).width > room) continue;
      ctx.save();
      ctx.fillStyle = css('--muted');
      ctx.textBaseline = 'top';
      ctx.textAlign = 'left';
      ctx.fillText(name, left + 5 * devicePixelRatio, bbox.top - 11 * devicePixelRatio);
      ctx.restore();
    }
    ctx.restore();
  }

  label(index) {
    const { unit, decimals } = this.panel.fieldConfig.defaults;
    this.keys.forEach(({ value }, i) => {
      const column = this.data[i + 1];
      value.textContent = format(column[index ?? this.latest(column)] ?? null, unit, decimals);
    });
  }

  // Where a line's value at the view's instant stands: there or shortly before, or nowhere.
  latest(column) {
    const times = this.data[0];
    const end = times.findLastIndex((t) => t <= this.instant + 1e-3);
    const found = column.findLastIndex((v, i) => v !== null && i <= end);
    return end - found <= lateBy ? found : -1;
  }

  resize() {
    const width = Math.max(this.plot.clientWidth, 120);
    if (this.uplot && this.uplot.width !== width) this.uplot.setSize({ width, height });
  }
}

function alpha(share) {
  return Math.round(share * 255).toString(16).padStart(2, '0');
}

// Some whole seconds after `zero` within [from, to].
function wholeSeconds(from, to, zero) {
  const step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600].find((s) => (to - from) / s <= 8) ?? 1800;
  const ticks = [];
  for (let t = zero + Math.ceil((from - zero) / step) * step; t <= to; t += step) ticks.push(t);
  return ticks;
}

const two = (n) => String(n).padStart(2, '0');

// Seconds matter here, dates do not.
function clock(seconds) {
  const date = new Date(seconds * 1000);
  const part = date.getMilliseconds() ? `.${Math.round(date.getMilliseconds() / 100)}` : '';
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${part}`;
}

// A legend entry: a stroke as it is drawn, the name, the value.
function key(name, style) {
  const root = document.createElement('span');
  root.className = 'key';
  const stroke = root.appendChild(document.createElement('i'));
  stroke.style.borderTop = `3px ${!style.dash ? 'solid' : style.dash[0] < 4 ? 'dotted' : 'dashed'} ${style.color}`;
  root.append(name, ' ');
  const value = root.appendChild(document.createElement('b'));
  return { root, value };
}
