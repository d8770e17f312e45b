// The pages in a browser: nothing complained of, nothing fetched, every picture drawn, every number
// the report's, on a laptop and on a phone, light and dark, and on paper.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openBrowser, openPage } from '../../../browser/browser.mjs';

const sizes = [['laptop', { width: 1280, height: 800 }], ['phone', { width: 390, height: 844 }]];
let folder;
let browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'retrystorm-pages-'));
  execFileSync(process.env.REPORT_FIXTURE, [folder]);
  for (const run of readdirSync(folder)) write(run);
  execFileSync(process.env.RETRYSTORM, ['history', folder, '--html']);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// Exit code 3 only says that the run is not trusted.
function write(run) {
  try {
    execFileSync(process.env.RETRYSTORM, ['report', join(folder, run), '--format', 'html']);
  } catch (error) {
    assert.equal(error.status, 3, error.message);
  }
}

function directory(kind) {
  return join(folder, readdirSync(folder).find((name) => name.startsWith(kind + '-')));
}

async function open(file, options) {
  const { page, complaints } = await openPage(browser, options);
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto('file://' + file);
  await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
  return { page, complaints, requests };
}

async function quiet({ page, complaints, requests }, file) {
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, ['file://' + file]);
  await page.close();
}

// The pictures whose canvas has no ink in a colour of data: axes and grid alone are no picture.
function empty_charts() {
  const style = getComputedStyle(document.documentElement);
  const inks = ['measured', 'predicted', 'waste'].map((name) => {
    const hex = style.getPropertyValue('--' + name).trim();
    return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  });
  const empty = [];
  for (const canvas of document.querySelectorAll('.picture canvas, #pictures canvas')) {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let inked = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 200) continue;
      if (inks.some((ink) => ink.every((c, k) => Math.abs(c - data[i + k]) < 24))) ++inked;
    }
    if (inked < 8) empty.push(canvas.closest('.picture, #pictures').dataset.figure ?? 'history');
  }
  return empty;
}

for (const [size, options] of sizes) {
  for (const kind of ['whole', 'plain', 'rough', 'single']) {
    test(`the ${kind} run on a ${size} is drawn, silent and no wider than the screen`, async () => {
      const file = join(directory(kind), 'report.html');
      const opened = await open(file, options);
      const { page } = opened;
      const report = JSON.parse(readFileSync(join(directory(kind), 'report.json'), 'utf8'));
      const measured = report.arms.filter((arm) => arm.measured).length;
      // On a phone the healthy arms are behind a word.
      const folded = page.locator('details.healthy:not([open]) > summary');
      while (await folded.count() > 0) await folded.first().click();
      await page.waitForFunction(() => [...document.querySelectorAll('details.healthy')].every((fold) => fold.querySelector('.panel')));
      // A panel for each measured arm in each of the six figures of arms; a word in place of the others.
      for (const figure of ['goodput', 'queue', 'endings', 'work', 'amplification', 'latency']) {
        const host = page.locator(`.picture[data-figure=${figure}]`);
        assert.equal(await host.locator('canvas').count(), measured, figure);
        assert.equal(await host.locator('.blank').count(), report.arms.length - measured, figure);
      }
      assert.deepEqual(await page.evaluate(empty_charts), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than the screen');
      await quiet(opened, file);
    });
  }
}

test('a phone shows first the arms that went wrong', async () => {
  const file = join(directory('whole'), 'report.html');
  const phone = await open(file, sizes[1][1]);
  const data = JSON.parse(await phone.page.locator('#report-data').textContent());
  const healthy = data.arms.filter((arm) => arm.healthy).length;
  assert.ok(healthy > 0 && healthy < data.arms.length);
  const goodput = phone.page.locator('.picture[data-figure=goodput]');
  assert.equal(await goodput.locator('canvas').count(), data.arms.length - healthy);
  const rows = phone.page.locator('#figures tbody tr');
  const all = await rows.count();
  const shown = async () => (await rows.evaluateAll((list) => list.filter((row) => row.offsetHeight > 0))).length;
  assert.ok(await shown() > 0 && await shown() < all);
  await phone.page.locator('#figures .unfold').click();
  assert.equal(await shown(), all);
  assert.equal(await goodput.locator('summary').innerText(), `${healthy} healthy arms`);
  await goodput.locator('summary').click();
  await phone.page.waitForFunction((n) => document.querySelectorAll('.picture[data-figure=goodput] canvas').length === n, data.arms.length);
  await quiet(phone, file);
  const laptop = await open(file, sizes[0][1]);
  assert.equal(await laptop.page.locator('details.healthy').count(), 0);
  assert.equal(await laptop.page.locator('.unfold:visible').count(), 0);
  await quiet(laptop, file);
});

test('the answer and the cliff come first', async () => {
  const file = join(directory('whole'), 'report.html');
  const opened = await open(file, { width: 1366, height: 768 });
  const { page } = opened;
  const top = (selector) => page.locator(selector).first().evaluate((e) => e.getBoundingClientRect().top);
  assert.deepEqual(await page.locator('.answer span').allInnerTexts(), ['Safe up to', 'Falls at', 'Best knob']);
  assert.ok(await top('.answer') < 500, 'the answer is on the first screen');
  assert.ok(await top('.answer') < await top('#cliff') && await top('#cliff') < await top('#story'));
  assert.equal(await page.locator('main > section').first().getAttribute('id'), 'cliff');
  const [knob] = await page.locator('#knobs tr.stands-out').first().locator('th, td').allInnerTexts();
  assert.ok((await page.locator('.answer .knob b').innerText()).startsWith(knob));
  assert.match(await page.locator('#knobs tbody tr').first().innerText(), /--[a-z-]+ \S+/);
  await quiet(opened, file);
});

test('every number is the one in report.json, and reads as it', async () => {
  const file = join(directory('whole'), 'report.html');
  const opened = await open(file, sizes[0][1]);
  const report = JSON.parse(readFileSync(join(directory('whole'), 'report.json'), 'utf8'));
  const shown = await opened.page.evaluate(() => Array.from(document.querySelectorAll('[data-path]'), (e) => ({
    path: e.dataset.path, value: Number(e.dataset.value), text: e.textContent,
  })));
  assert.ok(shown.length > 300);
  for (const { path, value, text } of shown) {
    const inReport = path.split('.').reduce((at, key) => at[key], report);
    assert.equal(value, inReport, path);
    const read = Number(text.replace(/,|\/s| %/g, ''));
    const scale = text.includes('%') ? 100 : 1;
    const digits = (text.match(/\.(\d+)/)?.[1] ?? '').length;
    assert.ok(Math.abs(read - value * scale) <= 0.5001 * 10 ** -digits, `${path}: ${value} is shown as ${text}`);
  }
  await quiet(opened, file);
});

// The panels' notes come from the data of the pictures, not from the tables.
test('the pictures say what report.json says', async () => {
  const file = join(directory('whole'), 'report.html');
  const opened = await open(file, sizes[0][1]);
  const report = JSON.parse(readFileSync(join(directory('whole'), 'report.json'), 'utf8'));
  const data = JSON.parse(await opened.page.locator('#report-data').textContent());
  const total = (bins) => bins.reduce((a, b) => a + b, 0);
  report.arms.forEach((arm, i) => {
    const { series } = data.arms[i];
    const { counts } = arm.measured;
    assert.equal(total(series.offered), counts.offered);
    assert.equal(total(series.attempts), counts.attempts);
    assert.equal(total(series.succeeded), counts.succeeded);
    assert.equal(total(series.completed), counts.completed);
    assert.equal(total(series.ended.timed_out), counts.timed_out);
    assert.equal(total(series.age_abandoned), counts.abandoned);
    assert.equal(data.arms[i].figures.goodput, arm.measured.whole.goodput_per_s);
  });
  await quiet(opened, file);
});

test('the run that was predicted shows the cliff and the errors; the other says that it was not', async () => {
  const whole = await open(join(directory('whole'), 'report.html'), sizes[0][1]);
  assert.equal(await whole.page.locator('#errors canvas').count(), 4);
  assert.equal(await whole.page.locator('#cliff canvas').count(), 4);
  assert.ok(await whole.page.locator('.if-predicted').first().isVisible());
  await quiet(whole, join(directory('whole'), 'report.html'));
  const plain = await open(join(directory('plain'), 'report.html'), sizes[0][1]);
  assert.equal(await plain.page.locator('#errors').count(), 0);
  assert.equal(await plain.page.locator('.if-predicted:visible').count(), 0);
  assert.match(await plain.page.locator('body').innerText(), /was not predicted in this run/);
  await quiet(plain, join(directory('plain'), 'report.html'));
});

test('names and reasons from files are only text', async () => {
  const file = join(directory('rough'), 'report.html');
  const opened = await open(file, sizes[0][1]);
  const { page } = opened;
  assert.equal(await page.title(), 'small-collapse - retrystorm report');
  assert.equal(await page.locator('main img, header img').count(), 0);
  assert.equal(await page.locator('script').count(), 3);
  const text = await page.locator('body').innerText();
  assert.ok(text.includes("<script>document.title='broken in'</script>"));
  await page.locator('.reasons summary').click();
  assert.ok((await page.locator('.reasons').innerText()).includes('<img src=x onerror=alert(1)></script>'));
  await quiet(opened, file);
});

test('a failed, a killed and an untrusted arm are marked where they are drawn', async () => {
  const file = join(directory('rough'), 'report.html');
  const opened = await open(file, sizes[0][1]);
  const { page } = opened;
  assert.equal(await page.locator('.verdict').innerText(), 'partial run');
  const marks = await page.locator('#goodput .mark').allInnerTexts();
  assert.deepEqual([...new Set(marks)].sort(), ['failed', 'killed', 'untrusted']);
  assert.equal(await page.locator('#goodput .panel:not(:has(.mark))').count(), 2);
  await quiet(opened, file);
});

test('words lead to their meaning in the same file', async () => {
  const file = join(directory('whole'), 'report.html');
  const opened = await open(file, sizes[0][1]);
  const missing = await opened.page.evaluate(() => Array.from(document.querySelectorAll('a[href^="#"]'))
    .filter((a) => !document.getElementById(a.hash.slice(1))).map((a) => a.hash));
  assert.deepEqual(missing, []);
  assert.ok(await opened.page.locator('a.term').count() > 10);
  await quiet(opened, file);
});

test('the bins of a picture are a table when asked for', async () => {
  const file = join(directory('whole'), 'report.html');
  const opened = await open(file, sizes[0][1]);
  const details = opened.page.locator('#endings details[data-bins]');
  await details.locator('summary').click();
  await details.locator('table').waitFor();
  assert.ok(await details.locator('tbody tr').count() >= 30);
  await quiet(opened, file);
});

test('the page is drawn again in the dark and on paper', async () => {
  const file = join(directory('whole'), 'report.html');
  const opened = await open(file, { ...sizes[0][1], scheme: 'dark' });
  const { page } = opened;
  assert.deepEqual(await page.evaluate(empty_charts), []);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await ground(), 'rgb(20, 24, 29)');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.waitForFunction(() => document.documentElement.dataset.paper === '1');
  assert.equal(await ground(), 'rgb(255, 255, 255)');
  assert.equal(await page.locator('details:not([data-bins]):not([open])').count(), 0);
  assert.deepEqual(await page.evaluate(empty_charts), []);
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  await page.waitForFunction(() => document.documentElement.dataset.paper === undefined);
  await quiet(opened, file);
});

test('a name without a blank is no wider than a phone', async () => {
  const there = directory('whole');
  const report = JSON.parse(readFileSync(join(there, 'report.json'), 'utf8'));
  for (const arm of report.arms) {
    arm.name = 'N'.repeat(300);
    arm.trusted = false;
    arm.reasons = ['R'.repeat(300)];
  }
  const long = join(folder, '..', `${basename(folder)}-long`);
  mkdirSync(long);
  try {
    writeFileSync(join(long, 'report.json'), JSON.stringify(report));
    spawnSync(process.env.RETRYSTORM, ['report', long, '--format', 'html']);
    const opened = await open(join(long, 'report.html'), sizes[1][1]);
    assert.ok(await opened.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await quiet(opened, join(long, 'report.html'));
  } finally {
    rmSync(long, { recursive: true });
  }
});

test('the history page draws each arm over the runs', async () => {
  const file = join(folder, 'history.html');
  for (const [, options] of sizes) {
    const opened = await open(file, options);
    assert.ok(await opened.page.locator('#pictures canvas').count() >= 4);
    assert.deepEqual(await opened.page.evaluate(empty_charts), []);
    assert.equal(await opened.page.locator('main img').count(), 0);
    assert.equal(await opened.page.locator('a[href^="#"]').count(), 0);
    assert.ok(await opened.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await quiet(opened, file);
  }
});

// Three runs of one day, the last of them with more goodput, put into the page in place of its own.
test('the history page tells runs of one day apart, and the change against the run before', async () => {
  const arm = (goodput, change) => ({ name: 'a', status: 'done', trusted: true, rate: 100, whole_goodput: goodput, settled_goodput: goodput, change });
  const run = (time, one) => ({ directory: time, finished: `2026-03-04 ${time}Z`, experiment: 'e', question: '', status: 'done', arms: [one] });
  const runs = [run('10:00:00', arm(80, null)),
                run('10:00:30', arm(80, { against: 'x', of: 'settled_goodput', per_s: 0, share: 0 })),
                run('11:00:00', arm(92, { against: 'x', of: 'settled_goodput', per_s: 12, share: 0.15 }))];
  const page = readFileSync(join(folder, 'history.html'), 'utf8');
  const file = join(folder, 'made-up.html');
  writeFileSync(file, page.replace(/(<script type="application\/json" id="history-data">)[^]*?(<\/script>)/, (_, open, close) => open + JSON.stringify(runs) + close));
  const opened = await open(file, sizes[0][1]);
  assert.deepEqual(await opened.page.evaluate(() => times_of(runs)), ['10:00:00', '10:00:30', '11:00:00']);
  assert.deepEqual(await opened.page.evaluate(() => times_of([runs[0], runs[2]])), ['10:00', '11:00']);
  assert.equal(await opened.page.evaluate(() => new Set(times_of([runs[0], runs[0]])).size), 2);
  assert.equal(await opened.page.locator('.panel-note').innerText(), '3 runs; the last +12/s (+15 %)');
  await quiet(opened, file);
});
