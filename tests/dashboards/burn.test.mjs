// The error budget in the rules: what counts, which burn alerts, whatever the objective, and how
// the texts of the alerts read when they are sent.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, run, scratch, text } from './support.mjs';

const source = join(root, 'dashboards/rules/retrystorm.yaml');
const minutes = 720;  // ratios over three days are known from half a day
// Less than the five minutes that Prometheus looks back: the groups are evaluated in no fixed order.
const evaluated = '4m';

// Counters that grow by so much a minute.
const counters = (grows) => Object.entries(grows).map(([labels, by]) => (
  { series: `retrystorm_requests_total{job="client",${labels}}`, values: `0+${by}x${minutes}` }));
const failing = (perThousand) => counters({
  'outcome="succeeded"': 1000 - perThousand, 'outcome="gave_up"': perThousand });

// The burn over one window, as promtool evaluates it from the rules.
async function burns(directory, input, expected) {
  const file = join(directory, 'burn.yaml');
  await writeFile(file, JSON.stringify({
    rule_files: [source], evaluation_interval: evaluated,
    tests: [{ interval: '1m', input_series: input, promql_expr_test: ['5m', '30m', '1h', '6h', '3d'].map((window) => ({
      expr: `abs(retrystorm:budget_burn:rate${window} - ${expected}) < bool 1e-6`, eval_time: `${minutes}m`,
      exp_samples: [{ labels: '{job="client"}', value: 1 }] })) }],
  }));
  return run('promtool', 'test', 'rules', file);
}

// The alerts that fire in the end: [{labels, annotations}], read from what promtool got instead of
// nothing.
async function alerts(directory, rules, name, input) {
  const file = join(directory, 'alerts.yaml');
  await writeFile(file, JSON.stringify({
    rule_files: [rules], evaluation_interval: evaluated,
    tests: [{ interval: '1m', input_series: input,
              alert_rule_test: [{ eval_time: `${minutes}m`, alertname: name, exp_alerts: [] }] }],
  }));
  const { code, out, errors } = await run('promtool', 'test', 'rules', file);
  const pairs = (list) => Object.fromEntries(
    [...list.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g)].map(([, key, value]) => [key, JSON.parse(value)]));
  const got = [...(out + errors).matchAll(/Labels:(\{.*\})\s*\n\s*Annotations:(\{.*\})/g)];
  assert.equal(code === 0, got.length === 0, `neither none nor some: ${out}${errors}`);
  return got.map(([, labels, annotations]) => ({ labels: pairs(labels), annotations: pairs(annotations) }));
}

const windows = (fired) => fired.map(({ labels }) => labels.long_window).sort();

// The rules with another objective.
async function withRatio(directory, ratio) {
  const plain = await text('dashboards/rules/retrystorm.yaml');
  const file = join(directory, 'ratio.yaml');
  await writeFile(file, plain.replace('expr: "0.001"', `expr: "${ratio}"`));
  return file;
}

test('a shortage of the generator burns nothing, a policy burns as any failure', async (t) => {
  const directory = await scratch(t);
  for (const [unsent, burn] of [
    ['outcome="unsent",kind="shortage"', 0],
    ['outcome="unsent",kind="policy"', 500],
    ['outcome="gave_up"', 500],
    ['outcome="unfinished"', 500],
  ]) {
    const { code, out, errors } = await burns(directory, counters({ 'outcome="succeeded"': 100, [unsent]: 100 }), burn);
    assert.equal(code, 0, `${unsent}: ${out}${errors}`);
  }
});

test('the alerts burn from 14.4, 6 and 1 on where the objective is 99.9 %', async (t) => {
  const directory = await scratch(t);
  for (const [perThousand, expected] of [
    [0.9, []], [1.1, ['3d']], [5.9, ['3d']], [6.1, ['3d', '6h']], [14.3, ['3d', '6h']], [14.5, ['1h', '3d', '6h']],
  ]) {
    assert.deepEqual(windows(await alerts(directory, source, 'ErrorBudgetBurn', failing(perThousand))), expected,
                     `${perThousand} of 1000`);
  }
});

test('no objective silences an alert: nine failures in ten are enough for each', async (t) => {
  const directory = await scratch(t);
  for (const ratio of [0.06, 0.0694, 0.07, 0.1, 0.2, 0.5, 0.95]) {
    const rules = await withRatio(directory, ratio);
    assert.deepEqual(windows(await alerts(directory, rules, 'ErrorBudgetBurn', failing(910))), ['1h', '3d', '6h'], ratio);
  }
  const rules = await withRatio(directory, 0.1);
  assert.deepEqual(windows(await alerts(directory, rules, 'ErrorBudgetBurn', failing(890))), ['3d', '6h']);
});

// What each alert says of values that are known. {alert and window: [series, summary]}
const gauge = (name, value) => ({ series: `retrystorm_${name}{job="service"}`, values: `${value}x${minutes}` });
const counter = (name, by) => ({ series: `retrystorm_${name}{job="service"}`, values: `0+${by}x${minutes}` });
const said = {
  AbandonedWork: [[counter('completed_total', 1000), counter('abandoned_seen_total', 900), counter('seen_later_total', 23)],
                  '92.3% of what the service completes is for clients that had left'],
  QueueBeyondUseful: [[gauge('queue_length', 95), gauge('useful_queue', 79)],
                      "95 requests wait: those at the end cannot be served within their client's timeout"],
  Amplification: [[counter('attempts_total', 3000), counter('requests_offered_total', 1000)],
                  '3.00 attempts for each request offered'],
  ErrorBudgetBurn: [failing(20), 'The error budget burns 20.0 times as fast as it may'],
};

test('the text of every alert is whole when it is sent', async (t) => {
  const directory = await scratch(t);
  const plain = await text('dashboards/rules/retrystorm.yaml');
  assert.deepEqual(Object.keys(said).sort(), [...new Set([...plain.matchAll(/- alert: (\w+)/g)].map(([, name]) => name))].sort());
  let rendered = 0;
  for (const [name, [input, summary]] of Object.entries(said)) {
    for (const { annotations } of await alerts(directory, source, name, input)) {
      ++rendered;
      assert.equal(annotations.summary, summary);
      assert.match(annotations.description, /^[A-Z][^]*\.$/, name);
      for (const sentence of Object.values(annotations)) {
        assert.doesNotMatch(sentence, / {2}| [.,]|\{\{|<no value>|<error/, `${name}: ${sentence}`);
      }
    }
  }
  assert.equal(rendered, [...plain.matchAll(/- alert: /g)].length, 'every alert, whatever its windows');
});
