// What goes wrong beneath a run, each fault with its settings drawn and printed: "stop who=load after=400 for=80".
import { execFileSync, spawnSync } from 'node:child_process';

const processes = ['serve', 'load', 'run'];

// Milliseconds after the generator was started.
const after = (dice) => dice.logBetween(100, 1800);

// Limits are set by the shell that starts the program, in its units.
const table = {
  none: () => ({}),
  stop: (dice) => ({ who: dice.oneOf(['serve', 'load']), after: after(dice), for: dice.logBetween(30, 400) }),
  kill: (dice) => ({ who: dice.oneOf(processes), after: after(dice) }),
  interrupt: (dice) => ({ after: after(dice) }),
  descriptors: (dice) => ({ limit: dice.logBetween(10, 80) }),
  memory: (dice) => ({ limit: dice.logBetween(20_000, 400_000) }),  // kB
  file: (dice) => ({ limit: dice.logBetween(1, 60) }),              // kB that a file may have
  disk: (dice) => ({ limit: dice.logBetween(32, 2000) }),           // kB that all may have
  peer: (dice) => ({ kind: dice.oneOf(['slow', 'garbage', 'stranger', 'reset', 'idle']), many: dice.logBetween(1, 60), after: after(dice) }),
  flip: (dice) => ({ file: dice.oneOf(['attempts', 'requests', 'arrivals', 'try.json', 'report.json', 'run.sqlite']),
                     at: Math.floor(dice.uniform() * 1e6), bit: Math.floor(dice.uniform() * 8) }),
};

// A sanitizer reserves more addresses than any limit leaves it.
let memoryCanBeLimited;
function canLimitMemory() {
  memoryCanBeLimited ??= spawnSync('bash', ['-c', 'ulimit -v 400000; exec "$0" --version', process.env.RETRYSTORM]).status === 0;
  return memoryCanBeLimited;
}

// A disk of its own needs the right to mount one.
let diskCanBeMade;
function canMakeDisks() {
  diskCanBeMade ??= spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', '/mnt']).status === 0;
  return diskCanBeMade;
}

const possible = (name) => (name !== 'memory' || canLimitMemory()) && (name !== 'disk' || canMakeDisks());

export function drawFault(dice) {
  const name = dice.oneOf(Object.keys(table));
  const fault = { name, ...table[name](dice) };
  if (possible(name)) return fault;
  return name === 'disk' ? { name: 'file', ...table.file(dice) } : { name: 'none' };
}

export function faultText({ name, ...settings }) {
  return [name, ...Object.entries(settings).map(([key, value]) => `${key}=${value}`)].join(' ');
}

export function faultFrom(text) {
  const [name, ...settings] = text.split(' ');
  if (!(name in table)) throw new Error(`no such fault: ${name}`);
  return { name, ...Object.fromEntries(settings.map((one) => one.split('=')).map(([key, value]) => [key, /^\d+$/.test(value) ? Number(value) : value])) };
}

export function makeDisk(folder, kilobytes) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder]);
  return () => spawnSync('umount', ['--lazy', folder]);
}
