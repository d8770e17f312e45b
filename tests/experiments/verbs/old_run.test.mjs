// What the verbs say of run directories whose ledger is of the first version: tests/data/old_run/README.md.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const archive = fileURLToPath(new URL('../../data/old_run/first_version.tar.gz', import.meta.url));
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'retrystorm-old-'));
  assert.equal(spawnSync('tar', ['-xzf', archive, '-C', folder]).status, 0);
});
after(() => rmSync(folder, { recursive: true, force: true }));

// The answer of a verb that must give one; codes 1 and 3 are verdicts.
function answer(...args) {
  const { status, stdout, stderr } = spawnSync(process.env.RETRYSTORM, args, { encoding: 'utf8', cwd: folder });
  assert.ok([0, 1, 3].includes(status), `${args.join(' ')}: ${status} ${stderr}`);
  assert.equal(stderr, '');
  return stdout;
}

function bytes(directory) {
  return Object.fromEntries(readdirSync(directory, { recursive: true }).sort()
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => [name, readFileSync(join(directory, name), 'base64')]));
}

// At byte 60 of an SQLite file, big-endian.
const version = (run) => readFileSync(join(folder, run, 'run.sqlite')).readUInt32BE(60);

test('reading verbs answer and change no byte', () => {
  const run = join(folder, 'repeated');
  const left = bytes(run);
  const report = JSON.parse(left['report.json'] && Buffer.from(left['report.json'], 'base64'));
  assert.match(answer('report', 'repeated'), /retries=2 {2}trusted/);
  assert.match(answer('report', 'repeated', '--format', 'html', '--out', '-'), /<html/);
  assert.deepEqual(JSON.parse(answer('report', 'repeated', '--json')).arms.map((a) => a.measured.counts),
                   report.arms.map((a) => a.measured.counts));
  assert.match(answer('trace', 'repeated', '20', '--arm', 'retries=2'), /^request 20 of retries=2 \(try \d\)/);
  assert.ok(JSON.parse(answer('trace', 'repeated', '--format', 'chrome')).traceEvents.length > 90);
  assert.match(answer('compare', 'repeated', 'repeated'), /retries=0/);
  const budget = JSON.parse(answer('budget', '--run', 'repeated', '--target', '50%', '--latency', '10s', '--json'));
  for (const arm of report.arms) {
    for (const one of arm.tries) {
      const held = budget.tries.find((t) => t.arm === arm.name && t.try_number === one.repeat);
      assert.equal(held.good, one.tally.counts.succeeded);
      assert.equal(held.repeat, one.repeat);
    }
  }
  assert.deepEqual(bytes(run), left);
  assert.equal(version('repeated'), 0);
});

test('--try names a try, and --repeat still does', () => {
  const third = answer('trace', 'repeated', '7', '--arm', 'retries=0', '--try', '3');
  assert.match(third, /\(try 3\)/);
  assert.equal(answer('trace', 'repeated', '7', '--arm', 'retries=0', '--repeat', '3'), third);
});

test('a killed run is completed, in a ledger of today', () => {
  const then = JSON.parse(readFileSync(join(folder, 'killed.report.json')));
  const now = JSON.parse(answer('report', 'killed', '--json'));
  assert.equal(now.partial, true);
  now.arms.forEach((arm, i) => {
    assert.equal(arm.status, then.arms[i].status);
    assert.deepEqual(arm.tries.map((t) => t.tally.counts), then.arms[i].tries.map((t) => t.tally.counts));
    assert.deepEqual(arm.tries.map((t) => t.try_number), then.arms[i].tries.map((t) => t.repeat));
  });
  assert.equal(version('killed'), 4);
  assert.match(answer('trace', 'killed', '3', '--arm', 'retries=2'), /^request 3 of retries=2/);
});
