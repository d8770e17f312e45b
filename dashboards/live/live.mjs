// The page: what is to be seen (now, or a part of the past), one panel for each of the dashboard's,
// and a loop that keeps them up to date.
import { Chart } from './chart.mjs';
import { drawnPanels, expression, fillingQuery, format, intervalOf, limited, numberOf, seriesName, tileOf, windowOf } from './dashboard.mjs';
import { Prometheus } from './prometheus.mjs';
import { Series } from './series.mjs';
import { liveView, offered, triesView } from './view.mjs';

const refresh = 1000;     // ms
const mostPoints = 400;   // of a line
const parameters = new URLSearchParams(location.search);
const base = parameters.get('prometheus') ?? location.pathname.replace(/\/user\/.*$/, '').replace(/\/$/, '');
const prometheus = new Prometheus(base);
const element = (id) => document.getElementById(id);

// One panel on the page.
function box(panel, kind) {
  const root = document.createElement('section');
  root.className = `panel ${kind}`;
  root.style.setProperty('--span', panel.gridPos.w);
  root.dataset.panel = panel.id;
  const details = root.appendChild(document.createElement('details'));
  const summary = details.appendChild(document.createElement('summary'));
  summary.appendChild(document.createElement('h3')).textContent = panel.title;
  details.appendChild(document.createElement('p')).textContent = panel.description;
  return root;
}

class StatPanel {
  constructor(panel) {
    this.panel = panel;
    this.root = box(panel, 'stat');
    this.value = this.root.appendChild(document.createElement('p'));
    this.value.className = 'value';
    this.note = this.root.appendChild(document.createElement('p'));
    this.note.className = 'note';
  }
  async update(view, filling) {
    const { targets } = this.panel;
    const window = Math.max(...targets.map(({ expr }) => windowOf(expr, view)));
    const notYet = await filling(window);
    const answers = await Promise.all(targets.map(({ expr }) => prometheus.instant(limited(expression(expr, view), view.limits), view.instant)));
    const values = answers.map(([sample]) => (sample ? numberOf(sample.value[1]) : null));
    const tile = notYet ? { text: '-', none: true, notes: [`after ${format(window, 's')}`], alarm: false } : tileOf(this.panel, values);
    this.value.textContent = tile.text;
    this.value.classList.toggle('none', tile.none);
    this.note.textContent = tile.notes.join(', ');
    this.root.classList.toggle('alarm', tile.alarm);
    this.alarm = tile.alarm;
    this.shown = notYet ? null : values[0];
  }
  redraw() {}
  resize() {}
}

const sync = uPlot.sync('retrystorm');

class ChartPanel {
  constructor(panel) {
    this.panel = panel;
    this.root = box(panel, 'timeseries');
    this.chart = new Chart(panel, sync);
    this.root.appendChild(this.chart.root);
  }
  async update(view) {
    const wanted = JSON.stringify([view.step, view.scrapeInterval, view.limits, view.parts.map(({ key }) => key)]);
    if (wanted !== this.wanted) {
      this.wanted = wanted;
      this.series = view.parts.map(() => this.panel.targets.map((t) => new Series(t, view.step, view.scrapeInterval, view.limits)));
    }
    const grids = view.parts.map(({ from, to }) => [Math.ceil(from / view.step), Math.floor(to / view.step)]);
    await Promise.all(this.series.flatMap((part, k) => part.map((s) => s.update(prometheus, ...grids[k]))));
    // By target, each with the lines that any part has; parts follow one another with a gap between them.
    const lines = this.panel.targets.flatMap((_, t) =>
      [...new Set(this.series.flatMap((part) => [...part[t].lines.keys()]))].sort().map((name) => ({ name, t })));
    const joined = (of, gap) => grids.flatMap((grid, k) => (k > 0 ? [gap(k), ...of(grid, k)] : of(grid, k)));
    const times = joined(([first, last], k) => Array.from({ length: last - first + 1 }, (_, i) => (first + i) * view.step + view.parts[k].shift),
                         (k) => view.parts[k].from + view.parts[k].shift - view.step / 2);
    const columns = lines.map(({ name, t }) =>
      joined(([first, last], k) => (this.series[k][t].lines.has(name) ? this.series[k][t].column(name, first, last) : Array(last - first + 1).fill(null)), () => null));
    this.chart.show(times, lines.map(({ name }) => name), columns, view);
  }
  redraw() {
    this.chart.build();
  }
  resize() {
    this.chart.resize();
  }
}

class Page {
  constructor(dashboard) {
    this.dashboard = dashboard;
    this.paused = false;
    this.run = null;      // what `retrystorm run` says of itself, if it made this
    this.choice = parameters.get('view');  // null: what fits, until somebody chooses
    this.panels = [];
    this.layOut();
    element('view').addEventListener('change', (event) => this.choose(event.target.value));
    element('pause').addEventListener('click', () => this.pause(!this.paused));
    new ResizeObserver(() => this.panels.forEach((p) => p.resize())).observe(element('panels'));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.panels.forEach((p) => p.redraw()));
  }

  layOut() {
    const main = element('panels');
    main.replaceChildren();
    const drawn = new Set(drawnPanels(this.dashboard));
    let trust = false;  // in the row that says whether to trust
    for (const panel of this.dashboard.panels) {
      if (panel.type === 'row') {
        main.appendChild(document.createElement('h2')).textContent = panel.title;
        trust = panel.title.includes('trusted');
        if (trust) main.appendChild(document.createElement('p')).id = 'verdict';
      } else if (drawn.has(panel)) {
        const made = panel.type === 'stat' ? new StatPanel(panel) : new ChartPanel(panel);
        made.trust = trust;
        this.panels.push(made);
        main.appendChild(made.root);
      }
    }
  }

  choose(choice) {
    this.choice = choice;
    this.looksAt = choice;
    parameters.set('view', choice);
    history.replaceState(null, '', `?${parameters}`);
    this.pause(false);
    this.tick();
  }

  pause(paused) {
    this.paused = paused;
    element('pause').textContent = paused ? 'Go on' : 'Pause';
  }

  // What can be looked at: now, and each try and arm of the run.
  offerViews() {
    const views = offered(this.run?.tries ?? [], this.run && !this.run.done);
    const select = element('view');
    const texts = JSON.stringify(views);
    if (this.views !== texts) {
      this.views = texts;
      select.replaceChildren(...views.map(([value, text]) => new Option(text, value)));
    }
    this.looksAt = views.some(([value]) => value === this.choice) ? this.choice : views[0][0] === 'running' ? 'running' : 'live 30';
    select.value = this.looksAt;
  }

  async about() {
    if (this.noRun) return;
    const response = await fetch('../run.json', { cache: 'no-store' });
    this.run = response.ok ? await response.json() : null;
    this.noRun = !response.ok;
    const tries = this.run?.tries ?? [];
    const going = tries.find((t) => !t.to);
    let text = 'what Prometheus scrapes now';
    if (going) {
      text = `${going.arm}${going.try_number > 0 ? `, try ${going.try_number}` : ''}`;
    } else if (this.run) {
      text = this.run.done ? 'the run is over' : 'between two arms';
      if (tries.length === 0) text = 'before the first arm';
    }
    element('now').textContent = this.run ? `${this.run.experiment}: ${text}` : text;
    // A finished run stands still: its last arm is what there is to see.
    if (this.run?.done && tries.length > 0 && !this.chosen && !parameters.has('view')) {
      this.choice = `try ${tries.length - 1}`;
      this.chosen = true;
    }
    this.offerViews();
  }

  // Which processes are scraped, as the scrapes themselves tell: the page asks Prometheus queries only.
  async targets() {
    const active = await prometheus.instant('up');
    this.scrapeInterval = this.run?.scrape_interval ?? (this.interval ??= intervalOf(await prometheus.instant('up[2m]'))) ?? 1;
    const state = active.map(({ metric, value }) => `${metric.job} ${value[1] === '1' ? 'up' : 'down'}`).join(', ');
    const scaled = this.run ? ` Windows of rules are divided by ${this.run.rule_scale}: 5 min means ${300 / this.run.rule_scale} s here.` : '';
    return active.length > 0 ? `Scraped every ${format(this.scrapeInterval, 's')}: ${state}.${scaled}` : `Prometheus scrapes nothing now.${scaled}`;
  }

  async view() {
    const [kind, number] = this.looksAt.split(' ');
    const tries = this.run?.tries ?? [];
    const now = await prometheus.now();
    const view = kind === 'live' ? liveView(tries, now, Number(number)) : triesView(tries, kind, Number(number), now);
    // Steps of the scrape interval, or multiples of it when the window is long.
    const step = this.scrapeInterval * Math.max(1, Math.ceil((view.to - view.from) / this.scrapeInterval / mostPoints));
    const ruleScale = this.run?.rule_scale ?? 1;
    const limits = { sendLag: this.run?.limits ? this.run.limits.send_lag_p99_ms / 1000 : 0.001, scrape: this.run ? this.scrapeInterval : 0.25 };
    return { ...view, step, scrapeInterval: this.scrapeInterval, ruleScale, limits };
  }

  // Asks whether a window before the view's instant is not yet full: it reaches back before the first request was
  // offered, so that a rate or a ratio over it tells of nothing. Longer windows than 5 min, before scaling, reach back
  // over the arms before on purpose.
  filling(view) {
    const longest = Math.max(300 / view.ruleScale, 4 * view.scrapeInterval);
    const answers = new Map();
    return async (window) => {
      if (window === 0 || window > longest) return false;
      if (!answers.has(window)) answers.set(window, prometheus.instant(fillingQuery(window), view.instant));
      return (await answers.get(window)).length > 0;
    };
  }

  // The client's chart and the service's of one row and one unit are one picture: they share their scale.
  draw() {
    const charts = this.panels.filter(({ chart }) => chart);
    const alike = ({ panel }) => (/^(Client|Service):/.test(panel.title) ? `${panel.gridPos.y} ${panel.fieldConfig.defaults.unit}` : panel.id);
    for (const one of charts) {
      one.chart.draw(Math.max(...charts.filter((other) => alike(other) === alike(one)).map(({ chart }) => chart.most())));
    }
  }

  // Whether what is seen can be trusted: what the run has said of its tries, else what their limits say so far.
  judge(view) {
    const verdict = element('verdict');
    if (!verdict) return;
    const judged = view.tries.filter(({ trusted }) => typeof trusted === 'boolean');
    const bad = judged.filter(({ trusted }) => !trusted);
    const beyond = this.panels.filter(({ trust, alarm }) => trust && alarm).map(({ panel }) => panel.title);
    const limits = this.panels.filter(({ trust, panel }) => trust && panel.type === 'stat');
    const seen = limits.every(({ shown }) => typeof shown === 'number');
    let text = '';
    if (bad.length > 0) {
      text = `Not trusted: ${bad.map(({ try_number: n, reasons }) => `${judged.length > 1 ? `try ${n}: ` : ''}${reasons.join('; ')}`).join('. ')}.`;
    } else if (judged.length > 0 && judged.length === view.tries.length) {
      text = judged.length > 1 ? `Trusted, all ${judged.length} tries.` : 'Trusted.';
    } else if (beyond.length > 0) {
      text = `Beyond its limits: ${beyond.join(', ')}.`;
    } else if (seen) {
      text = 'Within its limits so far; judged when the try is over.';
    }
    verdict.textContent = text;
    verdict.className = text === '' ? '' : bad.length > 0 || beyond.length > 0 && judged.length === 0 ? 'bad' : 'good';
  }

  async alerts(view) {
    const names = new Set();
    for (const { expr, titleFormat } of this.dashboard.annotations.list) {
      for (const { metric } of await prometheus.instant(expr, view.instant)) {
        names.add(seriesName({ legendFormat: titleFormat }, metric));
      }
    }
    element('alerts').replaceChildren(...[...names].sort().map((name) => {
      const tag = document.createElement('span');
      tag.className = 'alert';
      tag.textContent = name;
      return tag;
    }));
  }

  async tick() {
    try {
      await this.about();
      const state = await this.targets();
      if (!this.paused) {
        const view = await this.view();
        const filling = this.filling(view);
        await Promise.all([this.alerts(view), ...this.panels.map((p) => p.update(view, filling))]);
        this.draw();
        this.judge(view);
        this.shown = view;
      }
      this.say(state);
    } catch (error) {
      this.say(`Prometheus does not answer (${error.message}). What is shown is what it last said.`, true);
    }
  }

  say(text, trouble = false) {
    element('status').textContent = text;
    element('status').classList.toggle('trouble', trouble);
  }

  async go() {
    for (;;) {
      const began = performance.now();
      if (!document.hidden) await this.tick();
      await new Promise((done) => setTimeout(done, Math.max(100, refresh - (performance.now() - began))));
    }
  }
}

const response = await fetch('../retrystorm.json');
const page = new Page(await response.json());
globalThis.retrystormPage = page;  // for the browser's console, and for tests
page.go();
