// What the tests of dashboards/ share: where things are, and programs run to their end.
// Environment: RETRYSTORM, the program.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const retrystorm = process.env.RETRYSTORM ?? join(root, 'build/dev/experiments/retrystorm');

export const text = (path) => readFile(join(root, path), 'utf8');
export const dashboard = JSON.parse(await text('dashboards/retrystorm.json'));

export const missing = 'is missing: experiments/set-up tests installs what the tests need';

// Runs a program to its end: {code, out, errors}. One that is missing is an error with its name.
export function run(program, ...args) {
  return new Promise((done, failed) => {
    execFile(program, args, { maxBuffer: 1 << 26 }, (error, out, errors) => {
      if (error && typeof error.code !== 'number') failed(new Error(`${program}: ${error.code === 'ENOENT' ? missing : error.message}`));
      else done({ code: error?.code ?? 0, out, errors });
    });
  });
}

// What `make` makes, made when it is first asked for: the same for all who ask.
export function once(make) {
  let made;
  return () => (made ??= make());
}

// A directory that is gone after the test.
export async function scratch(t) {
  const path = await mkdtemp(join(tmpdir(), 'retrystorm-dashboards-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

// Asks until there is an answer (not null, not false), or fails after the deadline.
export async function eventually(what, ask, seconds = 60) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((again) => setTimeout(again, 50));
  }
}
