// End to end, once: a real collapse, scraped by a real Prometheus, told to a real Alertmanager, drawn
// by the live page in a real browser. One run serves all the claims of this file.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, openPage } from '../browser/browser.mjs';
import { drawnPanels, format, seriesName } from '../../dashboards/live/dashboard.mjs';
import { Prometheus } from '../../dashboards/live/prometheus.mjs';
import { Series } from '../../dashboards/live/series.mjs';
import { armsOf, get, instant, range, reportOf, Running, startAlertmanager, startRun } from './live-run.mjs';
import { dashboard, eventually, once, retrystorm } from './support.mjs';

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
const witness = (name) => tries().find(({ arm }) => arm === name).one.reconciliation.prometheus;

test('each arm is tried once and has attempts and completions', () => {
  assert.deepEqual(tries().map(({ arm }) => arm), ['healthy', 'collapse']);
  for (const { arm, one: { tally: { counts } } } of tries()) assert.ok(counts.attempts > 0 && counts.completed > 0, arm);
});

test('both ledgers and Prometheus agree in each try', () => {
  for (const { arm, one: { reconciliation: { prometheus } } } of tries()) {
    assert.equal(prometheus.problem, '', arm);
    assert.equal(prometheus.agrees, true, arm);
  }
});

// Not taking the run's word for it: Prometheus itself, at the instant of the last sample.
for (const [query, count] of [
  ['sum(retrystorm_requests_offered_total)', 'offered'],
  ['sum(retrystorm_requests_total)', 'offered'],
  ['sum(retrystorm_attempts_total)', 'attempts'],
  ['sum(retrystorm_attempts_total{outcome="timed_out"})', 'timed_out'],
  ['sum(retrystorm_arrivals_total)', 'arrived'],
  ['sum(retrystorm_completed_total)', 'completed'],
  ['sum(retrystorm_abandoned_seen_total)', 'abandoned_seen'],
]) {
  test(`the last sample of ${query} is what the ledgers count`, async () => {
    for (const { arm, one: { tally: { counts }, reconciliation: { prometheus } } } of tries()) {
      const [sample] = await instant(run.base, query, prometheus.at);
      assert.equal(Number(sample.value[1]), counts[count], arm);
    }
  });
}

test('the table says that the three witnesses agree', () => {
  assert.match(run.running.out, /reconciled [^]*?agree\s+to the last request\s+in\s+2 of 2 tries/);
});

for (const job of ['service', 'client']) {
  const scrapes = () => witness('collapse').scrapes[job];

  test(`the ${job} is scraped through at least half of the storm`, () => {
    const { from, sent_until: until } = arms.collapse;
    assert.ok(scrapes().answered * scrape > 0.5 * (until - from), `${scrapes().answered} answered in ${until - from} s`);
  });

  test(`the ${job} answers four scrapes for each that it misses`, () => {
    assert.ok(scrapes().missed * 4 < scrapes().answered, `${scrapes().missed} missed, ${scrapes().answered} answered`);
  });

  test(`how long scrapes of the ${job} took is told in order`, () => {
    const { p50, p99, max } = scrapes().took_ms;
    assert.ok(p50 > 0 && p50 <= p99 && p99 <= max, `${p50} ${p99} ${max}`);
  });
}

test('Alertmanager is told of abandoned work as a page about the service', () => {
  assert.equal(delivered.labels.severity, 'page');
  assert.equal(delivered.labels.job, 'service');
});

test('the alert says in words how much is for nobody', () => {
  assert.match(delivered.annotations.summary, /^[0-9.]+% of what the service completes is for clients that had left$/);
});

test('the alert begins in the collapse', () => {
  assert.ok(Date.parse(delivered.startsAt) / 1000 > arms.collapse.from);
});

const fired = async ({ from, to }) => {
  const lines = await range(run.base, 'ALERTS{alertstate="firing"}', from, to, scrape);
  return lines.map(({ metric }) => metric.alertname);
};

for (const alert of ['AbandonedWork', 'QueueBeyondUseful', 'Amplification', 'ErrorBudgetBurn']) {
  test(`${alert} fires in the collapse`, async () => assert.ok((await fired(arms.collapse)).includes(alert)));
}

// Not ErrorBudgetBurn: one lost request in 900 burns it.
for (const alert of ['AbandonedWork', 'QueueBeyondUseful', 'Amplification']) {
  test(`${alert} does not fire in the healthy arm`, async () => assert.ok(!(await fired(arms.healthy)).includes(alert)));
}

// The status that a request comes to at the page's server, with any header that a browser would not let a page set.
const statusOf = (path, headers = {}, method = 'GET') => new Promise((done, failed) => {
  const { hostname, port } = new URL(run.base);
  request({ hostname, port, path, method, headers }, (response) => {
    response.resume();
    response.on('end', () => done(response.statusCode));
  }).on('error', failed).end();
});

test('the page is served to its own address alone', async () => {
  const { port } = new URL(run.base);
  assert.equal(await statusOf('/api/v1/query?query=up'), 200);
  assert.equal(await statusOf('/api/v1/query?query=up', { Host: `localhost:${port}` }), 200);
  assert.equal(await statusOf('/api/v1/query?query=up', { Host: 'evil.example' }), 421);
  assert.equal(await statusOf('/user/live/', { Host: `evil.example:${port}` }), 421);
  assert.equal(await statusOf('/api/v1/query?query=up', { Origin: 'http://evil.example' }), 403);
  assert.equal(await statusOf('/api/v1/query?query=up', { Origin: 'null' }), 403);
  assert.equal(await statusOf('/api/v1/query', {}, 'POST'), 405);
});

test('no more of Prometheus than its queries is within reach of the page', async () => {
  for (const path of ['/debug/pprof/', '/graph', '/metrics', '/api/v1/targets', '/api/v1/status/config', '/-/healthy', '/-/quit']) {
    assert.equal(await statusOf(path), 404, path);
  }
});

test("Prometheus itself lets no page of another origin read its answers, and is not where the page is", async () => {
  const children = readFileSync(`/proc/${run.running.process.pid}/task/${run.running.process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const [listen] = children.flatMap((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))
    .filter((argument) => argument.startsWith('--web.listen-address=')).map((argument) => argument.split('=')[1]);
  assert.match(listen, /^127\.0\.0\.1:\d+$/);
  assert.notEqual(`http://${listen}`, run.base);
  const answer = await fetch(`http://${listen}/api/v1/query?query=up`, { headers: { Origin: 'http://evil.example' } });
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
});

// What the page asks for, asked for here in another way: Grafana's variable by hand.
const byHand = ({ expr }) => expr.replaceAll('$__rate_interval', '1s');

for (const panel of panels) {
  test(`each expression of "${panel.title}" returns data of the storm`, async () => {
    for (const target of panel.targets) {
      const lines = await range(run.base, byHand(target), arms.collapse.from, arms.collapse.to, scrape);
      const numbers = lines.flatMap(({ values }) => values.map(([, value]) => Number(value))).filter(Number.isFinite);
      assert.ok(numbers.length > 0, target.expr);
    }
  });
}

// The number of a panel when the last request of the collapse had been sent.
async function inCollapse(title) {
  const { targets: [target] } = panels.find((panel) => panel.title === title);
  return Number((await instant(run.base, byHand(target), arms.collapse.sent_until))[0].value[1]);
}

test('the abandoned share tells the collapse', async () => assert.ok(await inCollapse('Abandoned share') > 0.5));
test('the queue tells the collapse', async () => assert.ok(await inCollapse('Queue') > 79));
test('the amplification tells the retries', async () => assert.ok(await inCollapse('Amplification') > 2));
test('the goodput is less than half of the throughput', async () => {
  assert.ok(await inCollapse('Goodput') < 0.5 * await inCollapse('Throughput'));
});

// The last 13 steps of the collapse: a series grown step by step, and what one query gives.
const grownAndWhole = once(async () => {
  const prometheus = new Prometheus(run.base);
  const panel = panels.find(({ title }) => title === 'Client: how attempts end');
  const [from, to] = [Math.ceil(arms.collapse.from / scrape), Math.floor(arms.collapse.to / scrape)];
  const grown = new Series(panel.targets[0], scrape, scrape);
  for (let now = from + 4; now < to; now += 4) await grown.update(prometheus, now - 12, now);
  await grown.update(prometheus, to - 12, to);
  return { grown, to, whole: await range(run.base, byHand(panel.targets[0]), (to - 12) * scrape, to * scrape, scrape) };
});

test('a series grown step by step has the lines of one query', async () => {
  const { grown, whole } = await grownAndWhole();
  assert.ok(whole.length >= 2);
  assert.deepEqual([...grown.lines.keys()].sort(), whole.map(({ metric }) => metric.outcome).sort());
});

test('a series grown step by step has the values of one query', async () => {
  const { grown, to, whole } = await grownAndWhole();
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

// What a page on a laptop shows of the collapse.
const onLaptop = once(() => drawn({}));
const shown = once(async () => (await onLaptop()).page.evaluate(() => ({
  view: retrystormPage.shown,
  panels: retrystormPage.panels.map(({ panel, chart, shown: value, root }) => {
    const canvas = root.querySelector('canvas');
    const pixels = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return { id: panel.id, value, alarm: root.classList.contains('alarm'), note: root.querySelector('.note')?.textContent,
             top: chart?.uplot.scales.y.max, text: root.querySelector('.value')?.textContent,
             names: chart?.names, data: chart?.data, legend: root.querySelector('figcaption')?.textContent,
             ink: pixels?.filter((_, i) => i % 4 === 3).filter((alpha) => alpha > 0).length };
  }),
})));
const shownOf = async (panel) => (await shown()).panels.find(({ id }) => id === panel.id);

test('the page asks at the interval of the scrapes', async () => assert.equal((await shown()).view.step, scrape));

test('the page draws the panels of the dashboard in their order', async () => {
  assert.deepEqual((await shown()).panels.map(({ id }) => id), panels.map(({ id }) => id));
});

for (const panel of panels.filter(({ type }) => type === 'stat')) {
  const asked = once(async () => {
    const [sample] = await instant(run.base, byHand(panel.targets[0]), (await shown()).view.instant);
    return Number(sample.value[1]);
  });

  test(`the page has the API's number for "${panel.title}"`, async () => {
    assert.equal((await shownOf(panel)).value, await asked());
  });

  test(`the page writes "${panel.title}" with its unit`, async () => {
    const { unit, decimals } = panel.fieldConfig.defaults;
    assert.equal((await shownOf(panel)).text, format(await asked(), unit, decimals));
  });
}

test('the tiles of the collapse are alarms, and say of what', async () => {
  const of = async (title) => shownOf(panels.find((panel) => panel.title === title));
  const [goodput, queue] = [await of('Goodput'), await of('Queue')];
  assert.ok(goodput.alarm && queue.alarm && (await of('Amplification')).alarm);
  assert.match(goodput.note, /^\d+ % of what is offered$/);
  assert.match(queue.note, /^79 useful, \d+ beyond it$/);
  assert.equal((await of('Throughput')).alarm, false);
});

test('two charts of one unit in a row have one scale', async () => {
  const charts = panels.filter(({ type }) => type === 'timeseries');
  let pairs = 0;
  for (const panel of charts) {
    const beside = charts.find((other) => other !== panel && other.gridPos.y === panel.gridPos.y
      && other.fieldConfig.defaults.unit === panel.fieldConfig.defaults.unit);
    if (!beside?.title.startsWith('Service:') || !panel.title.startsWith('Client:')) continue;
    ++pairs;
    assert.equal((await shownOf(panel)).top, (await shownOf(beside)).top, panel.title);
  }
  assert.ok(pairs >= 3);
});

test('the page gives the verdict of the run on the arm', async () => {
  const { one } = tries().find(({ arm }) => arm === 'collapse');
  const verdict = await (await onLaptop()).page.locator('#verdict').textContent();
  assert.match(verdict, one.trusted ? /^Trusted\.$/ : /^Not trusted: /);
  if (!one.trusted) assert.ok(verdict.includes(one.reasons[0]));
});

for (const panel of panels.filter(({ type }) => type !== 'stat')) {
  // [name, points] of each line that the API gives.
  const asked = once(async () => {
    const { from, to, step } = (await shown()).view;
    const [first, last] = [Math.ceil(from / step), Math.floor(to / step)];
    const wanted = [];
    for (const target of panel.targets) {
      for (const { metric, values } of await range(run.base, byHand(target), first * step, last * step, step)) {
        const line = values.filter(([, v]) => Number.isFinite(Number(v))).map(([t, v]) => [t, Number(v)]);
        if (line.length > 0) wanted.push([seriesName(target, metric), line]);
      }
    }
    return wanted;
  });

  test(`the page has the API's lines for "${panel.title}"`, async () => {
    assert.deepEqual([...(await shownOf(panel)).names].sort(), (await asked()).map(([name]) => name).sort());
  });

  test(`the page has the API's points for "${panel.title}"`, async () => {
    const { names, data } = await shownOf(panel);
    for (const [name, line] of await asked()) {
      const column = data[1 + names.indexOf(name)];
      assert.deepEqual(data[0].map((t, i) => [t, column[i]]).filter(([, v]) => v !== null), line, name);
    }
  });

  test(`the legend of "${panel.title}" names each line`, async () => {
    const { legend } = await shownOf(panel);
    for (const [name] of await asked()) assert.ok(legend.includes(name), `${name} in "${legend}"`);
  });

  test(`the page draws "${panel.title}"`, async () => {
    const { ink } = await shownOf(panel);
    assert.ok(ink > 2000, `${ink} pixels drawn`);
  });
}

test('the page complains of nothing', async () => {
  await shown();
  assert.deepEqual((await onLaptop()).complaints, []);
});

test('the page shows the alerts that fire', async () => {
  const alerts = await (await onLaptop()).page.locator('.alert').allTextContents();
  for (const alert of ['AbandonedWork', 'QueueBeyondUseful', 'Amplification']) assert.ok(alerts.includes(alert), alert);
});

test('the page says which run it is and that it is over', async () => {
  assert.equal(await (await onLaptop()).page.locator('#now').textContent(), 'storm: the run is over');
});

test('the page changes to the arm that is chosen, and its alerts with it', async () => {
  const { page } = await drawn({});
  await page.locator('#view').selectOption('try 0');
  await page.waitForFunction((from) => retrystormPage.shown.zero === from, arms.healthy.from);
  await page.waitForFunction(() => document.querySelectorAll('.alert').length === 0
    || [...document.querySelectorAll('.alert')].every((tag) => tag.textContent === 'ErrorBudgetBurn'));
  await page.close();
});

const live = once(async () => (await drawn({}, 'live 300')).page);

test('the live view draws every chart', async () => {
  const lines = await (await live()).evaluate(() => retrystormPage.panels.filter(({ chart }) => chart?.names.length > 0).length);
  assert.equal(lines, panels.filter(({ type }) => type === 'timeseries').length);
});

test('the live view follows the clock', async () => {
  const { to } = await (await live()).evaluate(() => retrystormPage.shown);
  await (await live()).waitForFunction((before) => retrystormPage.shown.to > before + 1, to);
});

test('the live view can be paused', async () => {
  await (await live()).locator('#pause').click();
  assert.equal(await (await live()).locator('#pause').textContent(), 'Go on');
});

const onPhone = once(async () => {
  const { page } = await drawn({ width: 390, height: 844, scheme: 'dark' });
  return page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    columns: new Set([...document.querySelectorAll('.timeseries')].map((e) => e.getBoundingClientRect().left)).size,
    background: getComputedStyle(document.body).backgroundColor,
    color: getComputedStyle(document.body).color,
  }));
});

test('the page is no wider than a phone', async () => assert.ok((await onPhone()).width <= 390));
test('the page has one column on a phone', async () => assert.equal((await onPhone()).columns, 1));
test('the page is dark where the user wants it', async () => {
  const light = (text) => text.match(/\d+/g).slice(0, 3).reduce((sum, n) => sum + Number(n), 0);
  const { background, color } = await onPhone();
  assert.ok(light(background) < 150 && light(color) > 600, `${color} on ${background}`);
});

// From here on the run has ended.
const ended = once(() => run.running.stop());

test('the page says when Prometheus is gone', async () => {
  const { page } = await drawn({});
  await ended();
  await page.waitForSelector('#status.trouble', { timeout: 60_000 });
  assert.match(await page.locator('#status').textContent(), /Prometheus does not answer/);
});

test('a run that stayed ends with its verdict when it is interrupted', async () => {
  assert.ok([0, 3].includes(await ended()));
});

test('watch brings the numbers of a run back', async () => {
  await ended();
  const again = new Running(retrystorm, 'watch', directory);
  try {
    const [, address] = await again.says(/(http:\S+)\/user\/live\//, 60);
    const { one } = tries().find(({ arm }) => arm === 'collapse');
    const [sample] = await instant(address, 'sum(retrystorm_completed_total)', witness('collapse').at);
    assert.equal(Number(sample.value[1]), one.tally.counts.completed);
  } finally {
    assert.equal(await again.stop(), 0);
  }
});
