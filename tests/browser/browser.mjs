// Chromium for the tests of pages: Debian's, headless, with a profile that is gone afterwards.
// The packages of package.json are installed in the build folder: BROWSER_MODULES says where.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const modules = process.env.BROWSER_MODULES ?? fileURLToPath(new URL('../../build/dev/tests/browser', import.meta.url));

// A package of package.json.
export function installed(name) {
  return createRequire(join(modules, 'package.json'))(name);
}

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';

// A browser; close() it. The flags: no sandbox, because root has none, and nothing of its own on the
// network.
export function openBrowser() {
  if (!existsSync(chromium)) throw new Error(`${chromium} is missing: experiments/set-up tests installs chromium`);
  return installed('playwright-core').chromium.launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
           '--disable-component-update', '--disable-sync'],
  });
}

// A page of that size, in "light" or "dark", whose complaints (console errors, exceptions, requests
// that failed) are collected in `complaints`.
export async function openPage(browser, { width = 1360, height = 900, scheme = 'light', scale = 1 } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: scale });
  const complaints = [];
  page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure().errorText}`));
  return { page, complaints };
}
