// What report, compare, history, trace and rules do with bad flags, damaged runs and places where
// nothing can be written: one line that names what is wrong, the exit code of the design, nothing
// half-written.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const experiment = `
[experiment]
name = "short"
[service]
workers = 2
queue = 10
[client]
rate = 80
duration = "300ms"
`;
let folder;
let run;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'retrystorm-verbs-'));
  run = join(folder, 'run');
  writeFileSync(join(folder, 'short.toml'), experiment);
  ask('run', join(folder, 'short.toml'), '--out', run, '--more-tries', '0');
  assert.ok(existsSync(join(run, 'report.json')));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function ask(...args) {
  const { status, stdout, stderr } = spawnSync(process.env.RETRYSTORM, args, { encoding: 'utf8', cwd: folder });
  return { code: status, out: stdout, errors: stderr };
}

function refused(pattern, ...args) {
  const { code, out, errors } = ask(...args);
  assert.match(errors, pattern);
  assert.equal(errors.trim().split('\n').length, 1, errors);
  assert.equal(code, 2);
  assert.equal(out, '');
}

// A copy of the run that may be damaged.
function copy(name) {
  const path = join(folder, name);
  cpSync(run, path, { recursive: true });
  return path;
}

for (const args of [['report', 'run'], ['report', 'run', '--format', 'html', '--out', '-'], ['report', 'run', '--format', 'csv'],
                    ['report', 'run', '--format', 'markdown'], ['report', 'run', '--json'], ['compare', 'run', 'run'],
                    ['history', '.'], ['trace', 'run', '3'], ['trace', 'run', '--format', 'chrome'], ['rules']]) {
  test(`'${args.join(' ')}' fails where its answer cannot be written`, () => {
    const { status, stderr } = spawnSync(process.env.RETRYSTORM, args,
                                         { encoding: 'utf8', cwd: folder, stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] });
    assert.equal(status, 3);
    assert.equal(stderr, 'retrystorm: standard output: cannot be written\n');
  });
}

// What cannot be meant: [which, what is said of it, arguments].
for (const [which, pattern, args] of [
  ['report --out that is a directory', /--out: .*is a directory/, () => ['report', run, '--format', 'csv', '--out', folder]],
  ['report --out in no directory', /--out: .*is no directory: make it first/, () => ['report', run, '--format', 'csv', '--out', join(folder, 'no/such')]],
  ['report --out that is empty', /--out: must not be empty/, () => ['report', run, '--out', '']],
  ['trace --out that is empty', /--out: must not be empty/, () => ['trace', run, '3', '--out', '']],
  ['report --format with --json', /--json/, () => ['report', run, '--format', 'csv', '--json']],
  ['report --format that there is not', /--format: pdf not in/, () => ['report', run, '--format', 'pdf']],
  ['compare --tolerance that is no number', /--tolerance: must be a number from 0 to 100/, () => ['compare', run, run, '--tolerance', 'nan']],
  ['compare --latency-tolerance below zero', /--latency-tolerance: must be a number/, () => ['compare', run, run, '--latency-tolerance', '-1']],
  ['history --last below zero', /--last: .*not in range/, () => ['history', folder, '--last', '-1']],
  ['history --last of nothing', /--last: .*not in range/, () => ['history', folder, '--last', '0']],
  ['history --experiment that is empty', /--experiment: must not be empty/, () => ['history', folder, '--experiment', '']],
  ['history --html with --json', /--html/, () => ['history', folder, '--html', '--json']],
  ['trace of a request below zero', /REQUEST: .*not in range/, () => ['trace', run, '--', '-1']],
  ['trace of a request beyond 64 bits', /REQUEST: .*not in range/, () => ['trace', run, '99999999999999999999']],
  ['trace of a request that there is not', /REQUEST: no request 24 in .*numbered from 0/, () => ['trace', run, '24']],
  ['trace of no request', /REQUEST: must be a request's number/, () => ['trace', run]],
  ['trace --try that there is not', /--try: no try 7/, () => ['trace', run, '3', '--try', '7']],
  ['trace --repeat, its name in earlier versions', /--try: no try 7/, () => ['trace', run, '3', '--repeat', '7']],
  ['trace --arm that there is not', /--arm: no such arm; there are 'short'/, () => ['trace', run, '3', '--arm', 'long']],
  ['run --lag-p99-ms that is no number', /--lag-p99-ms: must be a number/, () => ['run', join(folder, 'short.toml'), '--lag-p99-ms', 'nan']],
  ['report of what is no run', /DIR: must be the directory of a run/, () => ['report', join(folder, 'nowhere')]],
]) {
  test(`${which} is refused, and named`, () => refused(pattern, ...args()));
}

test('the command to run it again has the flags that the experiment does not hold', () => {
  const again = join(folder, 'again');
  ask('run', join(folder, 'short.toml'), '--out', again, '--repeat', '2', '--more-tries', '0', '--lag-p99-ms', '900', '--gap-cv', '2.5');
  assert.match(ask('report', again, '--format', 'markdown').out,
               /^    retrystorm run \S+\/again\/experiment\.toml --repeat 2 --lag-p99-ms 900 --gap-cv 2\.5$/m);
  assert.match(ask('report', run, '--format', 'markdown').out, /^    retrystorm run \S+\/run\/experiment\.toml$/m);
});

test('a damaged report.json says how to have it made again, and that works', () => {
  const there = copy('damaged');
  for (const text of ['', '{}', '[]', readFileSync(join(run, 'report.json'), 'utf8').slice(0, 2000)]) {
    writeFileSync(join(there, 'report.json'), text);
    refused(/report\.json: .*: remove it to have it made again from arms\//, 'report', there, '--format', 'csv');
    refused(/report\.json: /, 'compare', run, there);
  }
  rmSync(join(there, 'report.json'));
  assert.equal(ask('report', there, '--format', 'csv').out, ask('report', run, '--format', 'csv').out);
});

test('a report.json that was altered is printed by no verb', () => {
  const there = copy('altered');
  const text = readFileSync(join(run, 'report.json'), 'utf8');
  const altered = text.replace(/"attempts": \d+/, '"attempts": -5');
  assert.notEqual(altered, text);
  writeFileSync(join(there, 'report.json'), altered);
  refused(/report\.json: is not what the run wrote: .*: remove it to have it made again from arms\//, 'report', there);
  refused(/report\.json: is not what the run wrote/, 'compare', run, there);
  refused(/report\.json: arm .*: broken identity/, 'compare', run, join(there, 'report.json'));
  rmSync(join(there, 'report.json'));
  assert.equal(ask('report', there, '--format', 'csv').out, ask('report', run, '--format', 'csv').out);
});

test('a ledger that is gone or empty is made again from arms/', () => {
  const wanted = ask('trace', run, '3').out;
  const there = copy('without');
  rmSync(join(there, 'run.sqlite'));
  assert.equal(ask('trace', there, '3').out, wanted);
  writeFileSync(join(there, 'run.sqlite'), '');
  assert.equal(ask('report', there, '--format', 'html').errors, '');
  assert.equal(ask('trace', there, '3').out, wanted);
});

test('a damaged ledger is named, and can be removed', () => {
  const there = copy('cut');
  writeFileSync(join(there, 'run.sqlite'), readFileSync(join(run, 'run.sqlite')).subarray(0, 9000));
  refused(/run\.sqlite: .*; remove it to import again from arms\//, 'trace', there, '3');
  rmSync(join(there, 'run.sqlite'));
  assert.equal(ask('trace', there, '3').code, 0);
});

test('a ledger whose tables are damaged is named', () => {
  const there = copy('schema');
  const ledger = readFileSync(join(run, 'run.sqlite'), 'latin1').replaceAll('request_ends', 'request_endz');
  writeFileSync(join(there, 'run.sqlite'), ledger, 'latin1');
  refused(/run\.sqlite: is not what the run wrote: .*; remove it to import again from arms\//, 'trace', there, '3');
  rmSync(join(there, 'SHA256SUMS'));
  refused(/run\.sqlite: no such table: request_ends; remove it to import again from arms\//, 'trace', there, '3');
});

test('without a ledger and without arms/ there is nothing to trace, and nothing is made up', () => {
  const there = copy('bare');
  rmSync(join(there, 'run.sqlite'));
  rmSync(join(there, 'arms'), { recursive: true });
  refused(/run\.sqlite: .*no arms\/ to make it from/, 'trace', there, '3');
  assert.ok(!readdirSync(there).includes('run.sqlite'));
  assert.equal(ask('report', there, '--format', 'html').errors, '');
});
