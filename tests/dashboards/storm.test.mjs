// End to end, once: a real collapse, scraped by a real Prometheus, told to a real Alertmanager, drawn
// by the live page in a real browser. One run serves all the tests of this file.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, openPage } from '../browser/browser.mjs';
import { drawnPanels, format, seriesName } from '../../dashboards/live/dashboard.mjs';
import { Prometheus } from '../../dashboards/live/prometheus.mjs';
import { Series } from '../../dashboards/live/series.mjs';
import { armsOf, get, instant, range, reportOf, Running, startAlertmanager, startRun } from './live-run.mjs';
import { dashboard, eventually, retrystorm } from './support.mjs';

const panels = drawnPanels(dashboard);
const scrape = 0.25;
let scratch, directory, alertmanager, run, delivered, report, arms, browser;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'retrystorm-storm-'));
  directory = join(scratch, 'run');
  browser = await openBrowser();
  alertmanager = await startAlertmanager(join(scratch, 'alertmanager'));
  run = await startRun(directory, alertmanager.address);
  delivered = await eventually('Alertmanager has AbandonedWork', async () => {
    const alerts = await get(`http://${alertmanager.address}/api/v2/alerts`);
    return alerts.find(({ labels }) => labels.alertname === 'AbandonedWork');
  }, 90);
  await run.running.says(/stays until Ctrl-C/, 90);
  report = await reportOf(directory);
  arms = await armsOf(directory);
});

after(async () => {
  await browser?.close();
  await run?.running.stop();
  await alertmanager?.running.stop();
  if (scratch) await rm(scratch, { recursive: true, force: true });
});

const tries = () => report.arms.flatMap((arm) => arm.tries.map((one) => ({ arm: arm.name, one })));

test('Run_ReconcilesBothLedgersAndPrometheusToTheLastRequest', async () => {
  assert.equal(tries().length, 2);
  for (const { arm, one: { tally: { counts }, reconciliation: { prometheus } } } of tries()) {
    assert.equal(prometheus.problem, '', arm);
    assert.equal(prometheus.agrees, true, arm);
    assert.ok(counts.attempts > 0 && counts.completed > 0);
    // Not taking the run's word for it: Prometheus itself, at the instant of the last sample.
    for (const [query, count] of [
      ['sum(retrystorm_requests_offered_total)', counts.offered],
      ['sum(retrystorm_requests_total)', counts.offered],
      ['sum(retrystorm_attempts_total)', counts.attempts],
      ['sum(retrystorm_attempts_total{outcome="timed_out"})', counts.timed_out],
      ['sum(retrystorm_arrivals_total)', counts.arrived],
      ['sum(retrystorm_completed_total)', counts.completed],
      ['sum(retrystorm_abandoned_seen_total)', counts.abandoned_seen],
    ]) {
      const [sample] = await instant(run.base, query, prometheus.at);
      assert.equal(Number(sample.value[1]), count, `${arm}: ${query}`);
    }
  }
});

test('Run_TableSaysThatTheThreeWitnessesAgree', () => {
  assert.match(run.running.out, /reconciled .*agree\s+to the last request\s+in\s+2 of 2 tries/);
});

test('Scrapes_AreAnsweredThroughTheStorm', () => {
  const { prometheus } = tries().find(({ arm }) => arm === 'collapse').one.reconciliation;
  for (const job of ['service', 'client']) {
    const { answered, missed, took_ms: took } = prometheus.scrapes[job];
    assert.ok(answered >= 12, `${job}: ${answered} answered`);
    assert.ok(missed * 4 < answered, `${job}: ${missed} missed, ${answered} answered`);
    assert.ok(took.p50 > 0 && took.p50 <= took.p99 && took.p99 <= took.max);
  }
});

test('Alertmanager_IsToldOfAbandonedWork', () => {
  assert.equal(delivered.labels.severity, 'page');
  assert.equal(delivered.labels.job, 'service');
  assert.match(delivered.annotations.summary, /^[0-9.]+% of what the service completes is for clients that had left$/);
  assert.ok(Date.parse(delivered.startsAt) / 1000 > arms.collapse.from);
});

test('Alerts_FireInTheCollapseAndNotInTheHealthyArm', async () => {
  const fired = async ({ from, to }) => {
    const lines = await range(run.base, 'ALERTS{alertstate="firing"}', from, to, scrape);
    return new Set(lines.map(({ metric }) => metric.alertname));
  };
  const healthy = await fired(arms.healthy);
  const collapse = await fired(arms.collapse);
  for (const alert of ['AbandonedWork', 'QueueBeyondUseful', 'Amplification', 'ErrorBudgetBurn']) {
    assert.ok(collapse.has(alert), alert);
    if (alert !== 'ErrorBudgetBurn') assert.ok(!healthy.has(alert), alert);  // one lost request in 900 burns it
  }
});

// What the page asks for, asked for here in another way: Grafana's variable by hand.
const byHand = ({ expr }) => expr.replaceAll('$__rate_interval', '1s');

test('Expressions_EachReturnsDataOfTheStorm', async () => {
  for (const panel of panels) {
    for (const target of panel.targets) {
      const lines = await range(run.base, byHand(target), arms.collapse.from, arms.collapse.to, scrape);
      const numbers = lines.flatMap(({ values }) => values.map(([, value]) => Number(value))).filter(Number.isFinite);
      assert.ok(numbers.length > 0, `${panel.title}: ${target.expr}`);
    }
  }
});

test('Panels_ShowTheCollapseForWhatItIs', async () => {
  const at = arms.collapse.sent_until;
  const value = async (title) => {
    const { targets: [target] } = panels.find((panel) => panel.title === title);
    return Number((await instant(run.base, byHand(target), at))[0].value[1]);
  };
  assert.ok(await value('Abandoned share') > 0.5);
  assert.ok(await value('Wasted work') > 0.5);
  assert.ok(await value('Amplification') > 2);
  assert.ok(await value('Goodput') < 0.5 * await value('Throughput'));
});

test('Series_GrownStepByStepAreWhatOneQueryGives', async () => {
  const prometheus = new Prometheus(run.base);
  const panel = panels.find(({ title }) => title === 'Client: how attempts end');
  const [from, to] = [Math.ceil(arms.collapse.from / scrape), Math.floor(arms.collapse.to / scrape)];
  const grown = new Series(panel.targets[0], scrape, scrape);
  for (let now = from + 4; now < to; now += 4) await grown.update(prometheus, now - 12, now);
  await grown.update(prometheus, to - 12, to);
  const whole = await range(run.base, byHand(panel.targets[0]), (to - 12) * scrape, to * scrape, scrape);
  assert.ok(whole.length >= 2);
  assert.deepEqual([...grown.lines.keys()].sort(), whole.map(({ metric }) => metric.outcome).sort());
  for (const { metric, values } of whole) {
    const known = new Map(values.map(([time, value]) => [Math.round(time / scrape), Number(value)]));
    const wanted = Array.from({ length: 13 }, (_, i) => known.get(to - 12 + i) ?? null);
    assert.deepEqual(grown.column(metric.outcome, to - 12, to), wanted);
  }
});

// The page with the collapse on it, once it is drawn.
async function drawn(options, view = 'try 1') {
  const opened = await openPage(browser, options);
  await opened.page.goto(`${run.page}?${new URLSearchParams({ view })}`);
  await opened.page.waitForFunction(() => globalThis.retrystormPage?.shown, undefined, { timeout: 60_000 });
  return opened;
}

test('Page_DrawsEveryPanelWithTheNumbersOfTheApi', async () => {
  const { page, complaints } = await drawn({});
  const shown = await page.evaluate(() => ({
    view: retrystormPage.shown,
    panels: retrystormPage.panels.map(({ panel, chart, shown: value, root }) => {
      const canvas = root.querySelector('canvas');
      const pixels = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      return { id: panel.id, value, text: root.querySelector('.value')?.textContent,
               names: chart?.names, data: chart?.data, legend: root.querySelector('figcaption')?.textContent,
               ink: pixels?.filter((_, i) => i % 4 === 3).filter((alpha) => alpha > 0).length };
    }),
  }));
  const { from, to, step, instant: at } = shown.view;
  assert.equal(step, scrape);
  assert.deepEqual(shown.panels.map(({ id }) => id), panels.map(({ id }) => id));
  for (const panel of panels) {
    const { value, text, names, data, legend, ink } = shown.panels.find(({ id }) => id === panel.id);
    if (panel.type === 'stat') {
      const [sample] = await instant(run.base, byHand(panel.targets[0]), at);
      assert.equal(value, Number(sample.value[1]), panel.title);
      const { unit, decimals } = panel.fieldConfig.defaults;
      assert.equal(text, format(Number(sample.value[1]), unit, decimals), panel.title);
      continue;
    }
    const [first, last] = [Math.ceil(from / step), Math.floor(to / step)];
    const wanted = [];
    for (const target of panel.targets) {
      for (const { metric, values } of await range(run.base, byHand(target), first * step, last * step, step)) {
        const line = values.filter(([, v]) => Number.isFinite(Number(v))).map(([t, v]) => [t, Number(v)]);
        if (line.length > 0) wanted.push([seriesName(target, metric), line]);
      }
    }
    assert.deepEqual([...names].sort(), wanted.map(([name]) => name).sort(), panel.title);
    for (const [name, line] of wanted) {
      const column = data[1 + names.indexOf(name)];
      const points = data[0].map((t, i) => [t, column[i]]).filter(([, v]) => v !== null);
      assert.deepEqual(points, line, `${panel.title}: ${name}`);
      assert.ok(legend.includes(name), `${panel.title}: ${name} in "${legend}"`);
    }
    assert.ok(ink > 2000, `${panel.title}: ${ink} pixels drawn`);
  }
  assert.deepEqual(complaints, []);
  await page.close();
});

test('Page_ShowsWhichAlertsFireAndWhichArmItIs', async () => {
  const { page } = await drawn({});
  const alerts = await page.locator('.alert').allTextContents();
  for (const alert of ['AbandonedWork', 'QueueBeyondUseful', 'Amplification']) assert.ok(alerts.includes(alert), alert);
  assert.equal(await page.locator('#now').textContent(), 'storm: the run is over');
  await page.locator('#view').selectOption('try 0');
  await page.waitForFunction((from) => retrystormPage.shown.zero === from, arms.healthy.from);
  await page.waitForFunction(() => document.querySelectorAll('.alert').length === 0
    || [...document.querySelectorAll('.alert')].every((tag) => tag.textContent === 'ErrorBudgetBurn'));
  await page.close();
});

test('Page_FollowsTheClockWhenItIsLive', async () => {
  const { page } = await drawn({}, 'live 300');
  const { to } = await page.evaluate(() => retrystormPage.shown);
  const lines = await page.evaluate(() => retrystormPage.panels.filter(({ chart }) => chart?.names.length > 0).length);
  assert.equal(lines, panels.filter(({ type }) => type === 'timeseries').length);
  await page.waitForFunction((before) => retrystormPage.shown.to > before + 1, to);
  await page.locator('#pause').click();
  assert.equal(await page.locator('#pause').textContent(), 'Go on');
  await page.close();
});

test('Page_FitsAPhoneAndIsDarkWhereTheUserWantsIt', async () => {
  const { page } = await drawn({ width: 390, height: 844, scheme: 'dark' });
  const seen = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    columns: new Set([...document.querySelectorAll('.timeseries')].map((e) => e.getBoundingClientRect().left)).size,
    background: getComputedStyle(document.body).backgroundColor,
    color: getComputedStyle(document.body).color,
  }));
  assert.ok(seen.width <= 390, `${seen.width} px wide`);
  assert.equal(seen.columns, 1);
  const light = (text) => text.match(/\d+/g).slice(0, 3).reduce((sum, n) => sum + Number(n), 0);
  assert.ok(light(seen.background) < 150 && light(seen.color) > 600);
  await page.close();
});

// Last: it ends the run.
test('Page_SaysWhenPrometheusIsGoneAndWatchBringsItBack', async () => {
  const { page } = await drawn({});
  assert.ok([0, 3].includes(await run.running.stop()));
  run = undefined;
  await page.waitForSelector('#status.trouble', { timeout: 60_000 });
  assert.match(await page.locator('#status').textContent(), /Prometheus does not answer/);
  await page.close();

  const again = new Running(retrystorm, 'watch', directory);
  try {
    const [, address] = await again.says(/(http:\S+)\/user\/live\//, 60);
    const { one } = tries().find(({ arm }) => arm === 'collapse');
    const [sample] = await instant(address, 'sum(retrystorm_completed_total)', one.reconciliation.prometheus.at);
    assert.equal(Number(sample.value[1]), one.tally.counts.completed);
  } finally {
    assert.equal(await again.stop(), 0);
  }
});
