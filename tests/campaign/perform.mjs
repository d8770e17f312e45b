// One run of the program under one fault: starts it, does it harm at the right moment, waits for its end, and gathers
// what it left: {fault, lines, code, signal, errors, hung, left, reports, ...} for verdict.mjs.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, rmSync, writeFileSync, closeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDisk } from './faults.mjs';

const patience = 120_000;  // ms: many times what any such run takes

// Weaker than the usual limits where the machine would break those: a busy one sends late now and then, and a run that
// is not trusted says nothing of what a trusted one may look like. A flipped bit is looked for in runs that are trusted
// whatever the machine did.
const limits = (fault) => (fault.name === 'flip'
  ? ['--lag-p99-ms', '1000', '--lag-max-ms', '1000', '--work-error', '100', '--rate-error', '100', '--gap-cv', '1000', '--cpu-share', '100']
  : ['--lag-p99-ms', '20']);

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

// The children of a process by the verb they run: {serve, load}.
function childrenOf(pid) {
  const children = {};
  try {
    for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)) {
      const words = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0');
      for (const verb of ['serve', 'load']) if (words[1] === verb) children[verb] = Number(child);
    }
  } catch { /* it has just ended */ }
  return children;
}

const alive = (pid) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch { return false; }
};

function signal(pid, which) {
  try { process.kill(pid, which); return true; } catch { return false; }
}

async function until(done, most) {
  for (const end = Date.now() + most; Date.now() < end; await sleep(4)) if (done()) return true;
  return false;
}

// A shell that sets limits, then becomes the program.
function start(fault, args, cwd) {
  const limit = { descriptors: `ulimit -n ${fault.limit}`, memory: `ulimit -v ${fault.limit}`, file: `ulimit -f ${fault.limit}` }[fault.name] ?? ':';
  const child = spawn('bash', ['-c', `${limit}; exec "$0" "$@"`, process.env.RETRYSTORM, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = { pid: child.pid, ended: false, code: null, signal: null, out: '', errors: '' };
  child.stdout.on('data', (text) => { run.out += text; });
  child.stderr.on('data', (text) => { run.errors += text; });
  run.end = new Promise((done) => child.on('close', (code, signalName) => {
    Object.assign(run, { ended: true, code, signal: signalName });
    done();
  }));
  return run;
}

function ask(args, cwd) {
  const { status, signal: by, stdout, stderr } = spawnSync(process.env.RETRYSTORM, args, { cwd, encoding: 'utf8', timeout: patience, maxBuffer: 1 << 28 });
  return { code: status, signal: by, out: stdout, errors: stderr };
}

// A peer that nobody invited, at the service's port.
async function peer({ kind, many }, port) {
  const sockets = [];
  for (let i = 0; i < many; ++i) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    if (kind === 'garbage') socket.write(Buffer.from(`\x16\x03\x01 ${'x'.repeat(i * 50)}\r\n\0\r\n\r\n`));
    if (kind === 'stranger') socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    if (kind === 'reset') socket.write('GET / HTTP/1.1\r\nHo', () => socket.resetAndDestroy());
    if (kind === 'slow') {
      const text = 'GET / HTTP/1.1\r\nHost: a\r\n';
      for (let at = 0; at < 6; ++at) setTimeout(() => socket.writable && socket.write(text[at]), 50 * at);
    }
  }
  await sleep(600);
  for (const socket of sockets) socket.destroy();
}

// Does the harm that has its moment. Says when a process stood still, on the clock of the ledgers.
async function harm(fault, run, port) {
  if (!await until(() => run.ended || childrenOf(run.pid).load, patience)) return {};
  await sleep(fault.after);
  const pids = { ...childrenOf(run.pid), run: run.pid };
  const pid = pids[fault.who];
  if (run.ended) return {};
  if (fault.name === 'stop' && pid && signal(pid, 'SIGSTOP')) {
    const from = process.hrtime.bigint();
    await sleep(fault.for);
    const to = process.hrtime.bigint();
    signal(pid, 'SIGCONT');
    return { stopped: { from, to } };
  }
  if (fault.name === 'kill' && pid) return { killed: signal(pid, 'SIGKILL') };
  if (fault.name === 'interrupt') return { interrupted: signal(run.pid, 'SIGINT') };
  if (fault.name === 'peer') await peer(fault, port);
  return {};
}

// Where the generator's schedule began, on the clock of the ledgers: in the header of its files.
function originOf(directory) {
  const bytes = Buffer.alloc(64);
  const name = join(directory, 'attempts-0.bin');
  if (!existsSync(name)) return undefined;
  const file = openSync(name, 'r');
  const read = readSync(file, bytes, 0, 64, 0);
  closeSync(file);
  return read === 64 ? bytes.readBigInt64LE(32) : undefined;
}

// The file of the run that a flip hits; the first part of a ledger is its header.
function flipBit(fault, out, arm) {
  const inTry = ['attempts', 'requests', 'arrivals'].includes(fault.file) ? `${fault.file}-0.bin` : 'try.json';
  const path = existsSync(join(out, fault.file)) ? join(out, fault.file) : join(arm, inTry);
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  const skip = path.endsWith('.bin') ? 64 : 0;
  if (bytes.length <= skip) return undefined;
  bytes[skip + fault.at % (bytes.length - skip)] ^= 1 << fault.bit;
  writeFileSync(path, bytes);
  return path;
}

function armIn(out) {
  const arms = join(out, 'arms');
  const [arm] = existsSync(arms) ? readdirSync(arms) : [];
  return arm ? join(arms, arm, '000') : undefined;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

export async function perform(fault, lines, folder) {
  const place = join(folder, 'place');
  mkdirSync(place);
  writeFileSync(join(folder, 'case.toml'), ['experiment.name = "campaign"', ...lines].join('\n') + '\n');
  const unmount = fault.name === 'disk' ? makeDisk(place, fault.limit) : () => {};
  try {
    const out = join(place, 'run');
    const port = await freePort();
    const run = start(fault, ['run', '../case.toml', '--out', out, '--more-tries', '0', '--listen', `127.0.0.1:${port}`, '--json', ...limits(fault)], place);
    const children = new Set();
    const watching = setInterval(() => Object.values(childrenOf(run.pid)).forEach((pid) => children.add(pid)), 20);
    const ended = Promise.race([run.end, sleep(patience, undefined, { ref: false })]);
    const done = 'after' in fault ? await harm(fault, run, port) : {};
    await ended;
    clearInterval(watching);
    const hung = !run.ended;
    if (hung) signal(run.pid, 'SIGKILL');
    const gone = await until(() => ![...children].some(alive), 15_000);
    for (const pid of children) if (alive(pid)) signal(pid, 'SIGKILL');
    const result = { fault, lines, code: run.code, signal: run.signal, errors: run.errors, hung, gone, ...done };
    result.report = parsed(run.out);
    const arm = armIn(out);
    if (arm) result.origin = originOf(arm);
    // What a reader of the directory is told: of a run that was killed, or of files that were harmed.
    if (fault.name === 'flip' && result.report && arm) {
      result.flipped = flipBit(fault, out, arm);
      if (result.flipped?.includes('/arms/')) for (const name of ['report.json', 'run.sqlite']) rmSync(join(out, name), { force: true });
    }
    if (fault.name === 'flip' ? result.flipped : existsSync(out)) {
      result.reader = ask(['report', out, '--json'], place);
      result.told = parsed(result.reader.out);
    }
    if (result.flipped?.endsWith('.sqlite')) result.tracer = ask(['trace', out, '0', '--arm', 'campaign'], place);
    const trusted = (result.report ?? result.told)?.arms?.[0]?.trusted;
    result.end = trusted === undefined ? 'no report' : trusted ? 'trusted' : 'untrusted';
    return result;
  } finally {
    unmount();
  }
}
