// The page: what is to be seen (now, or a part of the past), one panel for each of the dashboard's,
// and a loop that keeps them up to date.
import { Chart } from './chart.mjs';
import { drawnPanels, expression, format, intervalOf, numberOf, seriesName, thresholdColor } from './dashboard.mjs';
import { Prometheus } from './prometheus.mjs';
import { Series } from './series.mjs';

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
  }
  async update(view) {
    const [target] = this.panel.targets;
    const [sample] = await prometheus.instant(expression(target.expr, view), view.instant);
    const value = sample ? numberOf(sample.value[1]) : null;
    const { unit, decimals, noValue } = this.panel.fieldConfig.defaults;
    this.value.textContent = value === null ? noValue : format(value, unit, decimals);
    this.value.classList.toggle('none', value === null);
    this.value.style.color = value === null ? '' : thresholdColor(this.panel, value);
    this.shown = value;
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
    if (view.step !== this.step || view.scrapeInterval !== this.scrapeInterval) {
      [this.step, this.scrapeInterval] = [view.step, view.scrapeInterval];
      this.series = this.panel.targets.map((t) => new Series(t, view.step, view.scrapeInterval));
    }
    const [first, last] = [Math.ceil(view.from / view.step), Math.floor(view.to / view.step)];
    await Promise.all(this.series.map((s) => s.update(prometheus, first, last)));
    const times = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * view.step);
    const lines = this.series.flatMap((s) => [...s.lines.keys()].sort().map((name) => [name, s]));
    this.chart.show(times, lines.map(([name]) => name), lines.map(([name, s]) => s.column(name, first, last)), view);
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
    this.choice = parameters.get('view') ?? 'live 30';
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
    for (const panel of this.dashboard.panels) {
      if (panel.type === 'row') {
        main.appendChild(document.createElement('h2')).textContent = panel.title;
      } else if (drawn.has(panel)) {
        const made = panel.type === 'stat' ? new StatPanel(panel) : new ChartPanel(panel);
        this.panels.push(made);
        main.appendChild(made.root);
      }
    }
  }

  choose(choice) {
    this.choice = choice;
    parameters.set('view', choice);
    history.replaceState(null, '', `?${parameters}`);
    this.pause(false);
    this.tick();
  }

  pause(paused) {
    this.paused = paused;
    element('pause').textContent = paused ? 'Go on' : 'Pause';
  }

  // What can be looked at: now, and each try of the run.
  offerViews() {
    const views = [['live 15', 'now, 15 s'], ['live 30', 'now, 30 s'], ['live 60', 'now, 1 min'], ['live 300', 'now, 5 min']];
    (this.run?.tries ?? []).forEach((t, i) => {
      if (t.to) views.push([`try ${i}`, t.try_number > 0 ? `${t.arm}, try ${t.try_number}` : t.arm]);
    });
    const select = element('view');
    if (select.options.length !== views.length) {
      select.replaceChildren(...views.map(([value, text]) => new Option(text, value)));
    }
    if (![...select.options].some((o) => o.value === this.choice)) this.choice = 'live 30';
    select.value = this.choice;
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
    const [kind, number] = this.choice.split(' ');
    const chosen = kind === 'try' ? this.run.tries[Number(number)] : null;
    const to = chosen ? chosen.to : await prometheus.now();
    const from = chosen ? chosen.from : to - Number(number);
    // Steps of the scrape interval, or multiples of it when the window is long.
    const step = this.scrapeInterval * Math.max(1, Math.ceil((to - from) / this.scrapeInterval / mostPoints));
    // Of a try, the end of its sending is what counts: afterwards everything falls to nothing.
    return { from, to, step, scrapeInterval: this.scrapeInterval, instant: chosen?.sent_until ?? to,
             zero: chosen?.from ?? null };
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
        await Promise.all([this.alerts(view), ...this.panels.map((p) => p.update(view))]);
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
