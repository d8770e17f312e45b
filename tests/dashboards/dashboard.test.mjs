// The shape of the dashboard: what Grafana and the live page count on, and the habits of a good one.
// That its expressions return data is tested against a real Prometheus in storm.test.mjs.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { laidOut, made, text as written } from '../../dashboards/make.mjs';
import { meanings, onGround } from '../../dashboards/live/colours.mjs';
import { drawnPanels, expression, fillingQuery, format, intervalOf, limited, rateInterval, seriesName, seriesStyle, tileOf, windowOf } from '../../dashboards/live/dashboard.mjs';
import { liveView, offered, triesView } from '../../dashboards/live/view.mjs';
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
  assert.equal(format(228.571, 'reqps'), '228.6/s');
  assert.equal(format(240, 'reqps'), '240/s');
  assert.equal(format(0.0202, 's'), '20.2 ms');
  assert.equal(format(0, 's'), '0 ms');
  assert.equal(format(0.000039, 's'), '39.0 µs');
  assert.equal(format(0.921, 'percentunit', 0), '92 %');
  assert.equal(format(null, 's'), '-');
  assert.equal(format(0.05, 's', undefined, 0.05), '50 ms');
  assert.equal(format(0.25, 'none', undefined, 0.25), '0.25');
});

// WCAG 2: relative luminance, and the contrast of two colours.
function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

// The values of a variable of the page's style: in light, in dark.
const style = await text('dashboards/live/live.css');
const variable = (name) => [...style.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, 'g'))].map(([, hex]) => hex);

test('contrast is that of WCAG', () => {
  assert.equal(contrast('#ffffff', '#000000'), 21);
  assert.ok(Math.abs(contrast('#777777', '#ffffff') - 4.48) < 0.01);
});

test('every line has a contrast of 4.5 to 1 against its panel, in light and in dark, on a band too', () => {
  const used = new Set(panels.flatMap(({ fieldConfig: { overrides } }) => overrides.flatMap(({ properties }) =>
    properties.filter(({ id }) => id === 'color').map(({ value }) => value.fixedColor))));
  assert.ok(used.size >= 8);
  const [[lightPanel, darkPanel], [lightBand, darkBand]] = [variable('panel'), variable('band')];
  for (const colour of used) {
    for (const ground of [lightPanel, lightBand]) assert.ok(contrast(onGround(colour, false), ground) >= 4.5, `${colour} on ${ground}`);
    for (const ground of [darkPanel, darkBand]) assert.ok(contrast(onGround(colour, true), ground) >= 4.5, `${colour} on ${ground}`);
  }
});

test('the words of the page have a contrast of 4.5 to 1', () => {
  for (const name of ['text', 'muted', 'bad', 'good']) {
    variable(name).forEach((colour, i) => assert.ok(contrast(colour, variable('panel')[i]) >= 4.5, `${name} ${colour}`));
  }
});

test('a colour has one meaning, and a meaning one colour', () => {
  for (const ground of ['dark', 'light']) {
    assert.equal(new Set(Object.values(meanings).map((one) => one[ground])).size, Object.keys(meanings).length);
  }
  const known = new Set(Object.values(meanings).map(({ dark }) => dark));
  const meant = new Map();  // what a line is called, to its colour
  for (const panel of panels.filter(({ type }) => type === 'timeseries')) {
    for (const { matcher, properties } of panel.fieldConfig.overrides) {
      const colour = properties.find(({ id }) => id === 'color').value.fixedColor;
      assert.ok(known.has(colour), `${panel.title}: ${matcher.options} is ${colour}`);
      const name = matcher.options;
      if (['median', 'p99', 'abandoned', 'completed', 'refused', "client's timeout", 'ceiling'].includes(name) && name !== 'median' && name !== 'p99') {
        assert.equal(meant.get(name) ?? colour, colour, name);
        meant.set(name, colour);
      }
    }
  }
  assert.ok(meant.size >= 4);
});

test('lines that may lie on one another differ by their dashes', () => {
  for (const [title, names] of [['Client: retries', ['attempt 0', 'attempt 1', 'attempt 2', 'attempt 3+']],
                                ['Client: offered and goodput', ['attempts', 'offered', 'ceiling']],
                                ['Service: abandoned work', ['abandoned', 'completed']],
                                ["Service: workers' time", ['useful', 'busy', 'workers']],
                                ['Client: latency against timeout', ['median', 'p99']]]) {
    const panel = panels.find((one) => one.title === title);
    const drawn = names.map((name) => JSON.stringify(seriesStyle(panel, name, 0).dash));
    assert.equal(new Set(drawn).size, names.length, title);
  }
});

test('the two sides of the throughput are compared with the ceiling', () => {
  for (const title of ['Client: offered and goodput', 'Service: throughput and refusals']) {
    assert.ok(panels.find((one) => one.title === title).targets.some(({ legendFormat }) => legendFormat === 'ceiling'), title);
  }
});

const tile = (title, ...values) => tileOf(panels.find((one) => one.title === title), values);

test('goodput far below what is offered is an alarm, with the share in the tile', () => {
  assert.deepEqual(tile('Goodput', 228.6, 0.19), { text: '229/s', none: false, notes: ['19 % of what is offered'], alarm: true });
  assert.equal(tile('Goodput', 0, 0).alarm, true);
  assert.equal(tile('Goodput', 795, 0.99).alarm, false);
  assert.equal(tile('Goodput', null, null).alarm, false);
});

test('the queue beyond the useful queue is an alarm', () => {
  assert.deepEqual(tile('Queue', 50, 49, 1), { text: '50', none: false, notes: ['49 useful', '1 beyond it'], alarm: true });
  assert.deepEqual(tile('Queue', 12, 49, 0), { text: '12', none: false, notes: ['49 useful'], alarm: false });
});

test('the queue says so where there is no useful queue', () => {
  const { notes, alarm } = tile('Queue', 50, null, null);
  assert.match(notes.join(), /^no useful queue/);
  assert.equal(alarm, false);
});

test('a tile of which nothing is known says nothing of its limits', () => {
  assert.deepEqual(tile('Queue', null, null, null), { text: 'no data', none: true, notes: [], alarm: false });
  assert.equal(tile('Goodput', null, 0).alarm, true);  // nothing has ever succeeded of what is offered
});

test('a tile of trust compares its number with its limit', () => {
  assert.deepEqual(tile('Send lag, p99', 0.0023, 0.001), { text: '2.30 ms', none: false, notes: ['at most 1.00 ms'], alarm: true });
  assert.equal(tile('Send lag, p99', 0.0023, 0.003).alarm, false);
  assert.equal(limited('vector(0.001)', { sendLag: 0.02 }), 'vector(0.02)');
  assert.equal(limited('vector(0.25)', undefined), 'vector(0.25)');
});

// By Prometheus' own engine: offered from 2 s on, in a window of 1 s.
test('a window is filling until the first request was offered a window ago', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'rules.yaml'), 'groups: []');
  const at = (seconds, samples) => ({ expr: fillingQuery(1), eval_time: `${seconds * 1000}ms`, exp_samples: samples });
  await writeFile(join(folder, 'test.yaml'), JSON.stringify({
    rule_files: ['rules.yaml'], evaluation_interval: '250ms',
    tests: [{ interval: '1s', input_series: [{ series: 'retrystorm_requests_offered_total', values: '0 0 100 200 300' }],
              promql_expr_test: [at(2, [{ labels: '{}', value: 100 }]), at(3, []), at(4, [])] },
            { interval: '1s', input_series: [{ series: 'retrystorm_completed_total', values: '0 0 100 200 300' }],
              promql_expr_test: [at(2, [])] }],
  }));
  const { code, out, errors } = await run('promtool', 'test', 'rules', join(folder, 'test.yaml'));
  assert.equal(code, 0, out + errors);
});

test('a number knows the window that it is taken over', () => {
  const view = { ruleScale: 300, scrapeInterval: 0.25, step: 0.25 };
  assert.equal(windowOf('max(retrystorm:amplification:rate5m)', view), 1);
  assert.equal(windowOf('sum(rate(x[$__rate_interval]))', view), 1);
  assert.equal(windowOf('sum(retrystorm_queue_length)', view), 0);
});

// Two tries of one arm, another arm between them, a third that goes on.
const tries = [{ arm: 'a', try_number: 0, from: 100, sent_until: 106, to: 107, trusted: false },
               { arm: 'b', try_number: 0, from: 110, sent_until: 116, to: 117 },
               { arm: 'a', try_number: 1, from: 120, sent_until: 126, to: 127, trusted: true },
               { arm: 'c', try_number: 0, from: 130, sent_until: 136, to: null }];

test('the page offers the arm that runs, each try and each arm with several', () => {
  const names = offered(tries, true).map(([value, text]) => `${value}: ${text}`);
  assert.equal(names[0], 'running: the arm that runs');
  assert.equal(offered(tries, false)[0][0], 'live 15');
  assert.equal(offered([], true)[0][0], 'live 15');
  assert.ok(names.includes('arm 0: a, all 2 tries'));
  assert.ok(names.includes('try 2: a, try 1') && names.includes('try 1: b'));
  assert.ok(!names.some((one) => one.startsWith('try 3')));
});

test("an arm's time stands still while another arm runs, its tries are bands", () => {
  const view = triesView(tries, 'arm', 0, 140);
  assert.deepEqual(view.bands.map(({ from, until, to, name }) => [from, until, to, name]),
                   [[100, 106, 107, 'try 0'], [107.5, 113.5, 114.5, 'try 1']]);
  assert.deepEqual([view.from, view.to, view.zero, view.instant, view.legend], [100, 114.5, 100, 126, 113.5]);
  assert.deepEqual(view.parts.map(({ from, to }) => [from, to]), [[100, 107], [120, 127]]);
});

test('the arm that runs is seen from its start until now', () => {
  const view = triesView(tries, 'running', 0, 133);
  assert.deepEqual([view.from, view.to, view.instant], [130, 133, 133]);
});

test('the last seconds have the tries that fall into them as bands', () => {
  const view = liveView(tries, 133, 15);
  assert.deepEqual(view.bands.map(({ name, from, to }) => [name, from, to]), [['a, try 1', 120, 127], ['c', 130, 133]]);
  assert.deepEqual(view.tries.map(({ arm }) => arm), ['c']);
  assert.deepEqual(liveView(tries.slice(0, 3), 133, 15).tries, []);
});
