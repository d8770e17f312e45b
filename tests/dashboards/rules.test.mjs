// The rules and alerts, by Prometheus' own tool, on series that were scraped from real runs
// (series.json). Each claim is tested twice: on the source, with the series stretched to the time of
// long-lived services, and on the rules as a run of seconds uses them.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { retrystorm, root, run, scratch, text } from './support.mjs';

const source = join(root, 'dashboards/rules/retrystorm.yaml');
const { interval, ...arms } = JSON.parse(await text('tests/dashboards/series.json'));
const factor = 300;
const steps = (arm) => Math.max(...Object.values(arms[arm]).map((values) => values.length));
const sendingEnds = 24;  // steps of 250 ms

// One arm after the other, as a Prometheus sees processes that are started again.
function series(...names) {
  const all = new Map();
  let length = 0;
  for (const name of names) {
    for (const [key, values] of Object.entries(arms[name])) {
      if (!all.has(key)) all.set(key, []);
      const column = all.get(key);
      while (column.length < length) column.push(null);
      column.push(...values);
    }
    length += steps(name);
  }
  return [...all].map(([key, values]) => ({ series: key, values: values.map((v) => v ?? '_').join(' ') }));
}

// [alert, further labels, arms, step, fires]
const burn = (long) => `long_window="${long}"`;
const cases = [
  ['AbandonedWork', '', ['collapse'], sendingEnds, true],
  ['AbandonedWork', '', ['storm'], sendingEnds, true],
  ['AbandonedWork', '', ['healthy'], sendingEnds, false],
  ['AbandonedWork', '', ['bounded'], sendingEnds, false],
  ['QueueBeyondUseful', '', ['collapse'], sendingEnds, true],
  ['QueueBeyondUseful', '', ['healthy'], sendingEnds, false],
  ['QueueBeyondUseful', '', ['bounded'], sendingEnds, false],
  ['Amplification', '', ['storm'], sendingEnds, true],
  ['Amplification', '', ['collapse'], sendingEnds, false],
  ['ErrorBudgetBurn', burn('1h'), ['collapse'], sendingEnds, true],
  ['ErrorBudgetBurn', burn('1h'), ['healthy'], sendingEnds, false],
  // The collapse is over: the long window still burns, the short one does not.
  ['ErrorBudgetBurn', burn('1h'), ['collapse', 'healthy'], steps('collapse') + 16, false],
  ['ErrorBudgetBurn', burn('6h'), ['collapse'], sendingEnds, true],
  ['ErrorBudgetBurn', burn('6h'), ['healthy'], sendingEnds, false],
  ['ErrorBudgetBurn', burn('3d'), ['bounded'], sendingEnds, true],
  ['ErrorBudgetBurn', burn('3d'), ['healthy'], sendingEnds, false],
];

// A file for promtool; its times are the steps of the series, `step` milliseconds each.
function promtoolTests(rules, step, tests) {
  const at = (n) => `${Math.round(n * step)}ms`;
  return {
    rule_files: [rules],
    evaluation_interval: at(1),
    tests: tests.map(([alert, labels, names, when, fires]) => ({
      interval: at(1),
      name: `${alert} ${labels}`,
      input_series: series(...names),
      promql_expr_test: [{
        expr: `count(ALERTS{alertstate="firing",alertname="${alert}"${labels && `,${labels}`}})`,
        eval_time: at(when),
        exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
      }],
    })),
  };
}

async function promtool(directory, rules, step, tests) {
  const file = join(directory, 'tests.yaml');
  await writeFile(file, JSON.stringify(promtoolTests(rules, step, tests)));  // JSON is YAML
  return run('promtool', 'test', 'rules', file);
}

async function scaled(directory) {
  const { code, out, errors } = await run(retrystorm, 'rules', '--scale', String(factor));
  assert.equal(code, 0, errors);
  const file = join(directory, 'scaled.yaml');
  await writeFile(file, out);
  return file;
}

test('promtool finds no fault with the rules', async (t) => {
  for (const file of [source, await scaled(await scratch(t))]) {
    const { code, out, errors } = await run('promtool', 'check', 'rules', file);
    assert.equal(code, 0, out + errors);
  }
});

test('the rules are scaled in their windows alone', async (t) => {
  const plain = await text('dashboards/rules/retrystorm.yaml');
  const short = await run(retrystorm, 'rules', '--scale', String(factor));
  const windows = /\[[0-9a-z]+\]|for: [0-9a-z]+/g;
  assert.equal(short.out.replace(windows, ''), plain.replace(windows, ''));
  assert.equal((await run(retrystorm, 'rules')).out.replace(windows, ''), plain.replace(windows, ''));
  assert.match(short.out, /\[12000ms\]/);  // 1 h
  assert.match(short.out, /for: 200ms/);   // 1 min
});

test('each alert has a case where it fires and one where it does not', async () => {
  const plain = await text('dashboards/rules/retrystorm.yaml');
  const alerts = [...plain.matchAll(/- alert: (\w+)[^]*?(?=- alert:|$)/g)].map(([rule, name]) =>
    name + (/long_window: (\w+)/.exec(rule)?.[1] ?? ''));
  assert.equal(alerts.length, 6);
  for (const fires of [true, false]) {
    const covered = new Set(cases.filter((c) => c[4] === fires).map(([a, l]) => a + (/"(\w+)"/.exec(l)?.[1] ?? '')));
    assert.deepEqual(alerts.filter((a) => !covered.has(a)), []);
  }
});

test('the alerts fire where they must in services of months', async (t) => {
  const { code, out, errors } = await promtool(await scratch(t), source, interval * 1000 * factor, cases);
  assert.equal(code, 0, out + errors);
});

test('the alerts fire where they must in runs of seconds', async (t) => {
  const directory = await scratch(t);
  const { code, out, errors } = await promtool(directory, await scaled(directory), interval * 1000, cases);
  assert.equal(code, 0, out + errors);
});

// [expression, arms]: true at the end of sending. The bounds are the numbers of the runs themselves.
const recorded = [
  ['retrystorm:abandoned_share:rate5m > 0.99 < 1.01', ['storm']],
  ['retrystorm:wasted_work:rate5m > 0.99 <= 1', ['storm']],
  ['retrystorm:amplification:rate5m > 2.9 < 3.1', ['storm']],
  ['retrystorm:amplification:rate5m > 0.99 < 1.01', ['collapse']],
  ['retrystorm:goodput:rate5m == 0', ['collapse']],
  ['retrystorm:abandoned_share:rate5m == 0', ['healthy']],
  ['retrystorm:wasted_work:rate5m == 0', ['healthy']],
  ['retrystorm:budget_burn:rate5m == 0', ['healthy']],
  ['retrystorm:budget_burn:rate5m > 990 <= 1000', ['collapse']],
  // As many succeed as are completed: nobody had left.
  ['abs(sum(retrystorm:goodput:rate5m) / sum(retrystorm:throughput:rate5m) - 1) < 0.02', ['bounded']],
];

test('the recordings say what the runs were', async (t) => {
  const directory = await scratch(t);
  const rulesAndSteps = [[source, interval * 1000 * factor], [await scaled(directory), interval * 1000]];
  for (const [rules, step] of rulesAndSteps) {
    const file = promtoolTests(rules, step, []);
    file.tests = recorded.map(([expr, names]) => ({
      interval: file.evaluation_interval,
      input_series: series(...names),
      promql_expr_test: [{ expr: `count(${expr})`, eval_time: `${sendingEnds * step}ms`,
                           exp_samples: [{ labels: '{}', value: 1 }] }],
    }));
    await writeFile(join(directory, 'recorded.yaml'), JSON.stringify(file));
    const { code, out, errors } = await run('promtool', 'test', 'rules', join(directory, 'recorded.yaml'));
    assert.equal(code, 0, out + errors);
  }
});

test('the cases of the alerts would fail on the contrary', async (t) => {
  const directory = await scratch(t);
  for (const [alert, labels, names, when, fires] of cases) {
    const { code } = await promtool(directory, source, interval * 1000 * factor, [[alert, labels, names, when, !fires]]);
    assert.notEqual(code, 0, `${alert} ${labels} ${names}`);
  }
});
