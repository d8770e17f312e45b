// The pictures of docs/watching.md, from a real run. Takes a minute.
//   RETRYSTORM=build/release/experiments/retrystorm node tests/dashboards/take-pictures.mjs
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser, openPage } from '../browser/browser.mjs';
import { Running } from './live-run.mjs';
import { eventually, retrystorm, root } from './support.mjs';

const pictures = process.argv[2] ?? join(root, 'docs/pictures');
const scratch = await mkdtemp(join(tmpdir(), 'retrystorm-pictures-'));
const run = new Running(retrystorm, 'run', join(root, 'experiments/scenarios/collapse.toml'),
                        '--more-tries', '0', '--stay', '--out', join(scratch, 'run'));
const browser = await openBrowser();
try {
  const [, page] = await run.says(/live page: (\S+)/, 90);
  const picture = async (name, options, { view, ready = () => globalThis.retrystormPage?.shown }) => {
    const opened = await openPage(browser, options);
    await opened.page.goto(view ? `${page}?${new URLSearchParams({ view })}` : page);
    await opened.page.waitForFunction(ready, undefined, { timeout: 90_000 });
    await opened.page.screenshot({ path: join(pictures, `${name}.png`) });
    await opened.page.close();
    if (opened.complaints.length > 0) throw new Error(opened.complaints.join('\n'));
  };
  const laptop = { width: 1200, height: 900 };
  // While it happens: as soon as the alerts fire in the arm with retries.
  await picture('live', laptop, { view: 'live 60', ready: () => {
    const alerts = [...document.querySelectorAll('.alert')].map((tag) => tag.textContent);
    const collapsed = document.getElementById('now').textContent.includes('rate=1200 retries=2');
    return collapsed && alerts.includes('Amplification') && alerts.includes('AbandonedWork');
  } });
  await run.says(/stays until Ctrl-C/, 90);
  await picture('healthy', { ...laptop, height: 560 }, { view: 'try 1' });
  await picture('collapse', { width: 1100, height: 1320 }, { view: 'try 4' });
  await picture('phone', { width: 390, height: 844, scheme: 'dark' }, { view: 'try 5' });
} finally {
  await browser.close();
  await run.stop();
  await eventually('the run has ended', () => run.over);
  await rm(scratch, { recursive: true, force: true });
}
