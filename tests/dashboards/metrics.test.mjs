// What Prometheus gets to read: its own tool finds no fault, labels are closed, and the page of the
// docs tells of exactly these metrics.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, test } from 'node:test';
import { familiesOf, page, scrapeBoth } from './metrics-page.mjs';
import { missing, text } from './support.mjs';

let scrape;
before(async () => { scrape = await scrapeBoth(); });

test('promtool finds no fault with the metrics', () => {
  for (const side of ['service', 'client']) {
    assert.equal(scrape[side].type, 'text/plain; version=0.0.4; charset=utf-8');
    const { status, stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], { input: scrape[side].text });
    assert.equal(error, undefined, `promtool: ${error?.code === 'ENOENT' ? missing : error}`);
    assert.equal(status, 0, `${side}: ${stdout}${stderr}`);
    assert.equal(`${stdout}${stderr}`, '', side);
  }
});

test('the metrics have our prefix and a sentence of help', () => {
  for (const { name, help } of [...familiesOf(scrape.service.text), ...familiesOf(scrape.client.text)]) {
    assert.match(name, /^retrystorm_[a-z_]+$/);
    assert.match(help, /^[A-Z].*\.$/, name);
  }
});

// The closed sets of core/outcome.hpp and core/reason.hpp, and few others.
test('the labels are closed sets', async () => {
  const closed = await text('core/outcome.hpp') + await text('core/reason.hpp');
  const words = new Set([...closed.matchAll(/"([a-z_0-9]+)"/g)].map(([, word]) => word));
  for (const word of ['useful', 'abandoned', 'max_connections', 'resources', '0', '1', '2', '3+']) words.add(word);
  for (const { name, labels } of [...familiesOf(scrape.service.text), ...familiesOf(scrape.client.text)]) {
    for (const [label, values] of labels) {
      assert.ok(['disposition', 'reason', 'outcome', 'kind', 'attempt', 'use', 'le'].includes(label), `${name}: ${label}`);
      if (label !== 'le') for (const value of values) assert.ok(words.has(value), `${name}: ${label}="${value}"`);
    }
  }
});

test("the buckets stand around the client's timeout", () => {
  for (const [side, name] of [['service', 'sojourn'], ['service', 'queue_wait'], ['client', 'attempt_latency'], ['client', 'request_latency']]) {
    const family = familiesOf(scrape[side].text).find((f) => f.name === `retrystorm_${name}_seconds`);
    const bounds = [...family.labels.get('le')].map(Number);
    assert.ok(bounds.includes(0.01), name);  // the timeout of this run
    assert.ok(bounds.some((b) => b >= 0.008 && b < 0.01) && bounds.some((b) => b > 0.01 && b <= 0.012), name);
  }
});

test('the docs tell of exactly these metrics', async () => {
  const docs = await text('docs/metrics.md');
  const remedy = 'node tests/dashboards/metrics-page.mjs > docs/metrics.md';
  const exported = [...familiesOf(scrape.service.text), ...familiesOf(scrape.client.text)].map(({ name }) => name);
  assert.deepEqual(exported.filter((name) => !docs.includes(`| \`${name}\` |`)), [], `not in the docs: ${remedy}`);
  assert.ok(docs === page(scrape), `out of date: ${remedy}`);
});
