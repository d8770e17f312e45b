// How the verbs around Prometheus refuse what they cannot do: one line, and the exit code of the
// design.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { retrystorm, root, run, scratch } from './support.mjs';

const experiment = join(root, 'tests/dashboards/storm.toml');

async function refused(code, pattern, ...args) {
  const { code: got, out, errors } = await run(retrystorm, ...args);
  assert.equal(got, code, errors);
  assert.match(errors.trim().split('\n').at(-1), pattern);
  assert.equal(out, '');
}

test('Rules_RefuseAFactorThatDoesNotDivide', () => refused(2, /--scale: 5m: cannot be divided by 7/, 'rules', '--scale', '7'));

test('Watch_RefusesADirectoryWithoutPrometheus', async (t) => {
  await refused(2, /DIR: must be the directory of a run made with --prometheus/, 'watch', await scratch(t));
});

test('Run_RefusesAnAlertmanagerWithoutPrometheus', () =>
  refused(2, /--alertmanager: needs --prometheus/, 'run', experiment, '--alertmanager', '127.0.0.1:9093'));

test('Run_SaysHowToGetPrometheusWhereThereIsNone', async (t) => {
  const out = join(await scratch(t), 'run');
  const { code, errors } = await new Promise((done) => {
    execFile(retrystorm, ['run', experiment, '--prometheus', '--out', out], { env: { PATH: '/nowhere' } },
             (error, _, stderr) => done({ code: error?.code, errors: stderr }));
  });
  assert.equal(code, 3);
  assert.match(errors, /Prometheus is not installed: apt-get install/);
  assert.ok(!existsSync(out));
});

test('Run_SaysThatThePortOfPrometheusIsTaken', async (t) => {
  const taken = await new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => done(server));
  });
  t.after(() => taken.close());
  await refused(3, /Prometheus exited with 1: .*address already in use/, 'run', experiment, '--prometheus',
                '--prometheus-listen', `127.0.0.1:${taken.address().port}`, '--out', join(await scratch(t), 'run'));
});
