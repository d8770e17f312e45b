// Every command that the README and the tour show is run, in one shell a page and in the page's order, and prints
// the lines that the page shows: numbers may differ, words may not. Ports are replaced by free ones.
// With RETRYSTORM_REWRITE_DOCS set, what is shown is rewritten instead: all of it, as many first lines where a "..."
// ends the block, and nothing where a "..." stands elsewhere.
// Environment: RETRYSTORM, the program.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = process.env.RETRYSTORM ?? join(root, 'build/release/experiments/retrystorm');

// The pages, and how many commands each has at least.
const pages = [{ page: 'README.md', least: 1 }, { page: 'docs/tour.md', least: 15 }];

// Pages whose commands are not run, and why.
const notRun = new Map([['docs/watching.md', 'needs Prometheus, and a minute']]);

// The commands of the indented blocks, each with the lines shown below it: [from, to) of `lines`.
function commandsIn(lines) {
  const commands = [];
  let block = null;  // the command whose output we are in
  lines.forEach((line, at) => {
    if (line.startsWith('    $ ')) commands.push(block = { command: line.slice(6), from: at + 1, to: at + 1 });
    else if (line.startsWith('    ')) block && (block.to = at + 1);
    else if (line !== '') block = null;
  });
  return commands;
}

// A line without its numbers, its spacing and its bars.
const shape = (line) => line.replace(/[+-]?\d[\d,]*(\.\d+)?/g, '#').replace(/\bthreads?\b/g, 'threads')
  .replace(/[─·█▒!]+/g, '-').replace(/\s+/g, ' ').trim();

// A port that nothing listens on, below those that the kernel gives to connections.
async function freePort() {
  for (;;) {
    const port = 10000 + Math.floor(Math.random() * 20000);
    const free = await new Promise((answer) => {
      const server = createServer().once('error', () => answer(false));
      server.listen(port, '127.0.0.1', () => server.close(() => answer(true)));
    });
    if (free) return port;
  }
}

// What the shell does before the next command: a server comes to listen, a stopped one reports.
function afterwards(line) {
  const port = /127\.0\.0\.1:(\d+)/.exec(line)?.[1];
  if (line.endsWith('&')) return `until (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do kill -0 %1 2>/dev/null || break; sleep 0.1; done`;
  return line.startsWith('kill ') ? 'wait' : 'true';
}

// The outputs of the commands, run one after the other by one shell: [{code, text}].
async function runAll(commands, folder) {
  const ports = new Map();
  let script = 'exec 2>&1\nset -m\n';
  for (const { command } of commands) {
    let line = command;
    for (const [, port] of command.matchAll(/127\.0\.0\.1:(\d+)/g)) {
      if (!ports.has(port)) ports.set(port, await freePort());
      line = line.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${ports.get(port)}`);
    }
    script += `echo '@@'; ${line}\ncode=$?; ${afterwards(line)}; echo "@@ $code"\n`;
  }
  const output = await new Promise((done) => {
    execFile('bash', ['-c', script], { cwd: folder, maxBuffer: 1 << 26,
      env: { ...process.env, COLUMNS: '', PATH: `${dirname(program)}:${process.env.PATH}` } }, (_, out) => done(out));
  });
  let asShown = output;
  for (const [shown, used] of ports) asShown = asShown.replaceAll(`127.0.0.1:${used}`, `127.0.0.1:${shown}`);
  return asShown.split('@@\n').slice(1).map((part) => {
    const [, text, code] = /^([^]*)@@ (\d+)\n/.exec(part);
    return { text, code: Number(code) };
  });
}

// The lines shown, of what was printed.
function rewritten(shown, printed) {
  const fresh = printed.trimEnd().split('\n').filter((line) => !/^\[\d+\]/.test(line))
    .map((line) => (line ? `    ${line}` : ''));
  const cut = shown.findIndex((line) => line.trim() === '...');
  if (cut < 0) return fresh;
  return cut === shown.length - 1 ? [...fresh.slice(0, cut), shown[cut]] : shown;
}

// A busy machine makes what is measured untrusted, and what is made of it says so: 3.
const measures = (command) => /^(retrystorm (load|run|report|compare|history|trace)|sqlite3)\b/.test(command);

const allTrusted = (commands, results) => commands.every(({ command }, i) => !measures(command) || results[i].code === 0);

function check(lines, commands, results) {
  const trusted = allTrusted(commands, results);
  commands.forEach(({ command, from, to }, i) => {
    const { text, code } = results[i];
    assert.ok(code === 0 || (code === 3 && measures(command)), `${command}: exit code ${code}\n${text}`);
    if (!trusted && measures(command)) return;
    // What a server in the background says may come at any time.
    const heard = command.endsWith('&') ? results.map((result) => result.text).join('\n') : text;
    const printed = new Set(heard.split('\n').map(shape));
    for (const line of lines.slice(from, to)) {
      if (line.trim() === '...') continue;
      assert.ok(printed.has(shape(line)), `${command} printed no line like\n${line}\nbut\n${text}`);
    }
  });
}

test('every page that shows what a command prints is run here, or says why not', async () => {
  const all = ['README.md', 'CONTRIBUTING.md', ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
  const shown = [];
  for (const page of all) {
    if (commandsIn((await readFile(join(root, page), 'utf8')).split('\n')).length > 0) shown.push(page);
  }
  assert.deepEqual(shown.sort(), [...pages.map(({ page }) => page), ...notRun.keys()].sort());
});

for (const { page, least } of pages) {
  test(`${page} shows what its commands print`, async (t) => {
    const lines = (await readFile(join(root, page), 'utf8')).split('\n');
    const commands = commandsIn(lines);
    assert.ok(commands.length >= least, `only ${commands.length} commands found`);
    const folder = await mkdtemp(join(tmpdir(), 'retrystorm-page-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await symlink(join(root, 'experiments'), join(folder, 'experiments'));
    const results = await runAll(commands, folder);
    assert.equal(results.length, commands.length);
    if (!process.env.RETRYSTORM_REWRITE_DOCS) return check(lines, commands, results);
    // What is not trusted is not shown: rewrite it on a quieter machine.
    const trusted = allTrusted(commands, results);
    for (const [i, { command, from, to }] of [...commands.entries()].reverse()) {
      if (measures(command) && !trusted) {
        t.diagnostic(`not rewritten, since a run was not trusted: ${command}`);
        continue;
      }
      lines.splice(from, to - from, ...rewritten(lines.slice(from, to), results[i].text));
    }
    await writeFile(join(root, page), lines.join('\n'));
  });
}
