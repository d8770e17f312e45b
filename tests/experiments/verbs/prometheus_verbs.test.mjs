// How the verbs around Prometheus refuse what they cannot do: one line, and the exit code of the
// design.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, retrystorm, root, run, scratch } from '../../dashboards/support.mjs';

const experiment = join(root, 'tests/dashboards/storm.toml');

async function refused(code, pattern, ...args) {
  const { code: got, out, errors } = await run(retrystorm, ...args);
  assert.equal(got, code, errors);
  assert.match(errors.trim().split('\n').at(-1), pattern);
  assert.equal(out, '');
}

test('rules refuses a factor that does not divide', () => refused(2, /--scale: 5m: cannot be divided by 7/, 'rules', '--scale', '7'));

test('watch refuses a directory without Prometheus', async (t) => {
  await refused(2, /DIR: must be the directory of a run made with --prometheus/, 'watch', await scratch(t));
});

test('run refuses an Alertmanager without Prometheus', () =>
  refused(2, /--alertmanager: needs --prometheus/, 'run', experiment, '--alertmanager', '127.0.0.1:9093'));

test('run names an Alertmanager that is not there, or is none, before it makes anything', async (t) => {
  const web = await new Promise((done) => {
    const server = createWebServer((_, reply) => reply.writeHead(404).end()).listen(0, '127.0.0.1', () => done(server));
  });
  t.after(() => web.close());
  const out = join(await scratch(t), 'run');
  const address = `127.0.0.1:${web.address().port}`;
  const withIt = ['run', experiment, '--prometheus', '--alertmanager', address, '--out', out];
  await refused(3, new RegExp(`--alertmanager ${address}: what answers there is no Alertmanager .*start it first`), ...withIt);
  await new Promise((done) => { web.close(done); web.closeAllConnections(); });
  await refused(3, new RegExp(`--alertmanager ${address}: no Alertmanager answers there; start it first`), ...withIt);
  assert.ok(!existsSync(out));
});

test('run says how to get Prometheus where there is none', async (t) => {
  const out = join(await scratch(t), 'run');
  const { code, errors } = await new Promise((done) => {
    execFile(retrystorm, ['run', experiment, '--prometheus', '--out', out], { env: { PATH: '/nowhere' } },
             (error, _, stderr) => done({ code: error?.code, errors: stderr }));
  });
  assert.equal(code, 3);
  assert.match(errors, /Prometheus is not installed: apt-get install/);
  assert.ok(!existsSync(out));
});

test('run says that the port of Prometheus is taken', async (t) => {
  const taken = await new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => done(server));
  });
  t.after(() => taken.close());
  const address = `127.0.0.1:${taken.address().port}`;
  const out = join(await scratch(t), 'run');
  await refused(3, new RegExp(`--prometheus-listen ${address}: Address already in use; name another`), 'run', experiment,
                '--prometheus', '--prometheus-listen', address, '--out', out);
  assert.ok(!existsSync(out));
});

test("run does not take another host's port 0 for loopback", () =>
  refused(2, /--prometheus-listen: port 0 is a free one of 127\.0\.0\.1; to listen at 0\.0\.0\.0, name a port/, 'run', experiment,
          '--watch', '--prometheus-listen', '0.0.0.0:0'));

test('watch fails if its Prometheus dies, and leaves nobody behind', async (t) => {
  const folder = await scratch(t);
  await mkdir(join(folder, 'prometheus/data'), { recursive: true });
  await refused(2, /it has no prometheus\/page/, 'watch', folder);
  await mkdir(join(folder, 'prometheus/page'));
  await writeFile(join(folder, 'prometheus/page/run.json'), '{"done": true, "tries": []}');
  const watch = spawn(retrystorm, ['watch', folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((done) => watch.on('exit', done));
  t.after(() => watch.kill('SIGKILL'));
  let errors = '';
  watch.stderr.on('data', (text) => { errors += text; });
  await new Promise((done) => watch.stdout.once('data', done));
  const children = () => readFileSync(`/proc/${watch.pid}/task/${watch.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const [prometheus] = children();
  process.kill(Number(prometheus), 'SIGKILL');
  assert.equal(await ended, 3);
  assert.match(errors, /^retrystorm: Prometheus was killed by signal 9/);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  test(`run stops its Prometheus on ${signal} and leaves a directory that can be read`, async (t) => {
    const out = join(await scratch(t), 'run');
    const child = spawn(retrystorm, ['run', experiment, '--watch', '--out', out], { stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise((done) => child.on('exit', done));
    t.after(() => child.kill('SIGKILL'));
    await new Promise((done) => child.stderr.once('data', done));
    const [prometheus] = await eventually('Prometheus', () => {
      const list = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean);
      return list.length > 0 && list;
    });
    child.kill(signal);
    assert.equal(await ended, 130);
    assert.ok(!existsSync(`/proc/${prometheus}`));
    const { code, out: report } = await run(retrystorm, 'report', out);
    assert.equal(code, 3);
    assert.match(report, /PARTIAL: not every arm was measured to its end/);
  });
}
