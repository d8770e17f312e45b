// The shape of the dashboard: what Grafana and the live page count on, and the habits of a good one.
// That its expressions return data is tested against a real Prometheus in storm.test.mjs.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { laidOut, made, text as written } from '../../dashboards/make.mjs';
import { drawnPanels, expression, format, intervalOf, rateInterval, seriesName, seriesStyle } from '../../dashboards/live/dashboard.mjs';
import { dashboard, run, scratch, text } from './support.mjs';

const panels = drawnPanels(dashboard);
const targets = panels.flatMap((panel) => panel.targets.map((target) => ({ panel, target })));
const each = (claim) => panels.forEach((panel) => claim(panel, `panel ${panel.id}, ${panel.title}`));

test('the dashboard is what its panels make', async () => {
  assert.ok(await text('dashboards/retrystorm.json') === `${written(made)}\n`, 'out of date: node dashboards/make.mjs');
});

test('the dashboard has a stable identity', () => {
  assert.match(dashboard.uid, /^[a-z0-9-]{4,40}$/);
  assert.ok(dashboard.title && dashboard.description && dashboard.tags.length > 0);
  assert.ok(dashboard.schemaVersion >= 39);
  assert.equal(dashboard.id, undefined);  // a database's number, not ours
});

test('the dashboard asks for its datasource by a variable', () => {
  const variable = dashboard.templating.list.find(({ name }) => name === 'datasource');
  assert.equal(variable.type, 'datasource');
  assert.equal(variable.query, 'prometheus');
  const wanted = { type: 'prometheus', uid: '${datasource}' };
  each((panel, where) => assert.deepEqual(panel.datasource, wanted, where));
  targets.forEach(({ panel, target }) => assert.deepEqual(target.datasource, wanted, panel.title));
  dashboard.annotations.list.forEach((a) => assert.deepEqual(a.datasource, wanted));
});

test('the panels have unique ids and titles, and descriptions', () => {
  const ids = dashboard.panels.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
  each((panel, where) => {
    assert.ok(panel.title.length > 2, where);
    assert.match(panel.description, /^[A-Z].{20,}\.$/, where);
  });
});

test('the panels fill the grid without overlap', () => {
  const taken = new Map();
  for (const { id, gridPos: { x, y, w, h } } of dashboard.panels) {
    assert.ok(x >= 0 && w > 0 && x + w <= 24 && h > 0, `panel ${id}`);
    for (let i = x; i < x + w; ++i) {
      for (let j = y; j < y + h; ++j) {
        assert.equal(taken.get(`${i},${j}`), undefined, `panel ${id} over another`);
        taken.set(`${i},${j}`, id);
      }
    }
  }
  const bottom = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  assert.equal(taken.size, 24 * bottom);  // no hole
});

test('a chart with none beside it takes the whole width', () => {
  const chart = (side) => ({ [side]: 'x', lines: [] });
  const places = laidOut([{ row: 'r', panels: [chart('client'), chart('service'), chart('service'), chart('client'), chart('both')] }])
    .map(({ gridPos: { x, y, w } }) => [x, y, w]);
  assert.deepEqual(places, [[0, 0, 24], [0, 1, 12], [12, 1, 12], [0, 9, 24], [0, 17, 12], [12, 17, 12]]);
});

test('the panels have units that the page knows, and begin at zero', () => {
  each((panel, where) => {
    assert.ok(['reqps', 's', 'percentunit', 'short', 'none'].includes(panel.fieldConfig.defaults.unit), where);
    assert.equal(panel.fieldConfig.defaults.min, 0, where);
  });
});

test('the panels show a legend that names each series once', () => {
  each((panel, where) => {
    if (panel.type !== 'stat') assert.equal(panel.options.legend.showLegend, true, where);
    const names = panel.targets.map(({ legendFormat }) => legendFormat);
    assert.ok(names.every((name) => name.length > 0), where);
    assert.equal(new Set(names).size, names.length, where);
    const refs = panel.targets.map(({ refId }) => refId);
    assert.equal(new Set(refs).size, refs.length, where);
  });
});

test('the panels give each series a colour, and limits a dash', () => {
  for (const { panel, target } of targets) {
    if (panel.type === 'stat' || target.legendFormat.includes('{{')) continue;
    const overridden = panel.fieldConfig.overrides.some(({ matcher }) => matcher.options === target.legendFormat);
    assert.ok(overridden, `${panel.title}: ${target.legendFormat}`);
    if (/timeout|useful queue|places/.test(target.legendFormat)) {
      assert.notEqual(seriesStyle(panel, target.legendFormat, 0).dash, null, target.legendFormat);
    }
  }
});

test('the panels ask only for metrics and recordings that there are', async () => {
  const known = new Set([...(await text('docs/metrics.md')).matchAll(/^\| `(retrystorm_\w+)`/gm),
                         ...(await text('dashboards/rules/retrystorm.yaml')).matchAll(/record: (\S+)/g)].map(([, name]) => name));
  assert.ok(known.size > 30);
  const without = targets.flatMap(({ panel, target }) => [...target.expr.matchAll(/retrystorm[_:][\w:]+/g)]
    .filter(([name]) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, '')))
    .map(([name]) => `${panel.title}: ${name}`));
  assert.deepEqual(without, []);
});

test('the panels cover both sides and everything the collapse is seen by', () => {
  const all = targets.map(({ target }) => target.expr).join('\n');
  for (const metric of ['requests_offered_total', 'requests_total', 'attempts_total', 'attempt_latency_seconds', 'client_timeout_seconds',
                        'completed_total', 'arrivals_total', 'abandoned_seen_total', 'seen_later_total', 'queue_length', 'useful_queue',
                        'worker_seconds_total', 'sojourn_seconds', 'send_lag_seconds']) {
    assert.match(all, new RegExp(`retrystorm_${metric}`), metric);
  }
  assert.match(all, /retrystorm:budget_burn/);
  const charts = panels.filter(({ type }) => type === 'timeseries');
  // The client's view left, the service's view right, of the same height and side by side.
  for (const panel of charts.filter(({ title }) => title.startsWith('Client:'))) {
    const beside = charts.find(({ gridPos }) => gridPos.y === panel.gridPos.y && gridPos.x === 12);
    assert.equal(panel.gridPos.x, 0);
    assert.match(beside.title, /^(Service|Both):/);
  }
});

test('the expressions take counters only through a rate of the right window', () => {
  for (const { panel, target: { expr } } of targets) {
    const bare = expr.replaceAll(/rate\([^[]*\[\$__rate_interval\]\)/g, '').replaceAll(/sum by \(\w+\) \(\w+(\{[^}]*\})?\) > 0/g, '');
    assert.doesNotMatch(bare, /_(total|bucket|sum|count)\b/, panel.title);
    assert.doesNotMatch(bare, /\[/, panel.title);
  }
});

// Prometheus' own parser reads every expression, as rules.
test('the expressions are valid PromQL', async (t) => {
  const rules = targets.map(({ target }, i) => ({
    record: `expression_${i}`,
    expr: expression(target.expr, { scrapeInterval: 0.25, step: 0.25 }),
  }));
  rules.push(...dashboard.annotations.list.map(({ expr }, i) => ({ record: `annotation_${i}`, expr })));
  const file = join(await scratch(t), 'expressions.yaml');
  await writeFile(file, JSON.stringify({ groups: [{ name: 'expressions', rules }] }));
  const { code, out, errors } = await run('promtool', 'check', 'rules', file);
  assert.equal(code, 0, out + errors);
});

test('the page fills in rate intervals as Grafana does', () => {
  assert.equal(rateInterval(0.25, 0.25), 1);
  assert.equal(rateInterval(15, 60), 75);
  assert.equal(expression('rate(x[$__rate_interval])', { scrapeInterval: 0.25, step: 0.25 }), 'rate(x[1000ms])');
});

test('the page tells the scrape interval from the scrapes', () => {
  const at = (...times) => ({ values: times.map((time) => [time, '1']) });
  assert.equal(intervalOf([at(1, 1.25, 1.5, 1.752, 2), at(1, 1.25)]), 0.25);
  assert.equal(intervalOf([at(15, 30, 45), at(1, 2)]), 15);
  assert.equal(intervalOf([at(15)]), null);
  assert.equal(intervalOf([]), null);
});

test('the page names series by their labels', () => {
  assert.equal(seriesName({ legendFormat: 'attempt {{attempt}}' }, { attempt: '3+' }), 'attempt 3+');
  assert.equal(seriesName({ legendFormat: '{{ none }}' }, {}), '');
});

test('the page writes numbers with their units', () => {
  assert.equal(format(1234.4, 'reqps'), '1,234/s');
  assert.equal(format(4.014, 'reqps'), '4.01/s');
  assert.equal(format(0.0202, 's'), '20.2 ms');
  assert.equal(format(0, 's'), '0 ms');
  assert.equal(format(0.000039, 's'), '39.0 µs');
  assert.equal(format(0.921, 'percentunit', 0), '92 %');
  assert.equal(format(null, 's'), '-');
  assert.equal(format(0.05, 's', undefined, 0.05), '50 ms');
  assert.equal(format(0.25, 'none', undefined, 0.25), '0.25');
});
