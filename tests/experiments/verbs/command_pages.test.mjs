// Manual pages and completions name the verbs, flags and words that the help names, and the shells and groff take
// them. Environment: RETRYSTORM, the program.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = process.env.RETRYSTORM ?? join(root, 'build/release/experiments/retrystorm');
const retrystorm = (...args) => execFileSync(program, args, { encoding: 'utf8' });

// The verbs, and each one's flags as its help has them.
const helps = new Map();
for (const [, verb] of retrystorm('--help').split('Subcommands:\n')[1].matchAll(/^ {2}([a-z-]+) /gm)) {
  helps.set(verb, retrystorm(verb, '--help'));
}
const flagsOf = (verb) => [...helps.get(verb).matchAll(/^ {2}(?:-h,)?(--[a-z0-9-]+)/gm)].map(([, flag]) => flag);
const manual = (...verb) => retrystorm('man', ...verb).replaceAll('\\-', '-');

const folder = mkdtempSync(join(tmpdir(), 'retrystorm-pages-'));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const name of ['runs/one', 'runs/two']) mkdirSync(join(folder, name), { recursive: true });
writeFileSync(join(folder, 'mine.toml'), '');
for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(join(folder, shell), retrystorm('completions', shell));

// The shells find the program, and what is installed beside it, by the path.
process.env.PATH = `${dirname(program)}:${process.env.PATH}`;
const experiments = ['collapse-overshoot.toml', 'collapse.toml'];

// Skips by name where a program is not there.
function has(t, name) {
  if (!spawnSync(name, ['--version']).error) return true;
  t.skip(`needs ${name}`);
  return false;
}

test('the verbs are found', () => assert.ok(helps.size >= 18 && flagsOf('run').length > 40, `${helps.size}`));

test('the manual page of the program names every verb', () => {
  for (const verb of helps.keys()) assert.match(manual(), new RegExp(`^\\.B ${verb}$`, 'm'));
});

test('the manual page of a verb has every flag, the exit codes and the examples of its help', () => {
  for (const [verb, help] of helps) {
    const page = manual(verb);
    for (const flag of flagsOf(verb)) assert.ok(page.includes(`\\fB${flag}\\fR`), `${verb}: ${flag}`);
    assert.equal(page.includes('.SH "EXIT STATUS"'), /^Exit codes:/m.test(help), verb);
    assert.equal(page.includes('.SH "EXAMPLES"'), /^Examples?:/m.test(help), verb);
  }
});

test('groff formats each manual page without a complaint, and shows examples as they are typed', (t) => {
  if (!has(t, 'groff')) return;
  retrystorm('man', '--out', join(folder, 'man'));
  const pages = readdirSync(join(folder, 'man'));
  assert.equal(pages.length, helps.size + 1);
  for (const page of pages) {
    const made = spawnSync('groff', ['-man', '-ww', '-Wbreak', '-Tascii', '-P-c', '-P-b', '-P-u', join(folder, 'man', page)], { encoding: 'utf8' });
    assert.equal(made.stderr, '', page);
    assert.match(made.stdout, /^NAME\n +retrystorm[a-z-]* +- +\S/m, page);
    if (page === 'retrystorm-trace.1') assert.match(made.stdout, / 3000 --arm 'rate=1200 retries=2'$/m);
  }
});

test('a manual page of no verb is refused', () => {
  const { status, stderr, stdout } = spawnSync(program, ['man', 'rnu'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /^retrystorm: .*VERB.*did you mean run\?.*\n$/);
});

// What bash offers after these words; the last of them is being typed.
function bashOffers(...words) {
  const script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _retrystorm; printf "%s\\n" "${COMPREPLY[@]}"';
  const out = execFileSync('bash', ['-c', script, 'bash', join(folder, 'bash'), 'retrystorm', ...words],
    { cwd: folder, encoding: 'utf8' });
  return out.split('\n').filter((line) => line);
}
// The same of fish, without descriptions.
function fishOffers(line) {
  const out = execFileSync('fish', ['-N', '-c', `source ${join(folder, 'fish')}; complete -C '${line}'`],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, HOME: folder } });
  return out.split('\n').filter((one) => one).map((one) => one.split('\t')[0]);
}

test('the version names a revision of this tree, or says that it knows none', (t) => {
  const [, revision] = /^retrystorm \d+\.\d+\.\d+ \(revision (\S+)\)\n$/.exec(retrystorm('--version'));
  if (!existsSync(join(root, '.git')) || !has(t, 'git')) return;
  const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${revision.replace(/-dirty$/, '')}^{commit}`], { cwd: root });
  const known = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root }).status === 0;
  assert.ok(known ? status === 0 : revision === 'unknown', revision);
});

test('bash completes verbs, all flags of each, words, files and folders', () => {
  assert.deepEqual(bashOffers('').filter((one) => !['help', 'version', '--help', '--version'].includes(one)), [...helps.keys()]);
  for (const verb of helps.keys()) {
    const offered = new Set(bashOffers(verb, '-'));
    assert.deepEqual(flagsOf(verb).filter((flag) => !offered.has(flag)), [], verb);
  }
  assert.deepEqual(bashOffers('run', '--arrivals', ''), ['even', 'poisson']);
  assert.deepEqual(bashOffers('run', '--arrivals', '=', 'p'), ['poisson']);
  assert.deepEqual(bashOffers('report', '--format', 'm'), ['markdown']);
  assert.deepEqual(bashOffers('run', 'mi'), ['mine.toml']);
  assert.deepEqual(bashOffers('run', 'coll').sort(), experiments);
  assert.deepEqual(bashOffers('report', 'runs/'), ['runs/one', 'runs/two']);
  assert.deepEqual(bashOffers('run', '--rate', ''), [], 'a number cannot be guessed');
  assert.deepEqual(bashOffers('completions', 'z'), ['zsh']);
  assert.deepEqual(bashOffers('help', 'predi'), ['predict']);
});

test('fish completes verbs, all flags of each, words, files and folders', (t) => {
  if (!has(t, 'fish')) return;
  const verbs = fishOffers('retrystorm ');
  for (const verb of helps.keys()) assert.ok(verbs.includes(verb), verb);
  for (const verb of ['run', 'load', 'report', 'oncall']) {
    const offered = new Set(fishOffers(`retrystorm ${verb} --`));
    assert.deepEqual(flagsOf(verb).filter((flag) => !offered.has(flag)), [], verb);
  }
  assert.deepEqual(fishOffers('retrystorm run --arrivals '), ['even', 'poisson']);
  assert.ok(fishOffers('retrystorm run mi').includes('mine.toml'));
  assert.deepEqual(fishOffers('retrystorm run coll').sort(), experiments);
  assert.deepEqual(fishOffers('retrystorm report runs/'), ['runs/one/', 'runs/two/']);
});

test('zsh takes its completions, which name every verb and flag', (t) => {
  const script = readFileSync(join(folder, 'zsh'), 'utf8');
  assert.match(script, /^#compdef retrystorm\n/);
  for (const verb of helps.keys()) {
    const part = script.split(`\n      ${verb})\n`)[1]?.split('\n      ;;')[0];
    assert.ok(part, verb);
    for (const flag of flagsOf(verb)) assert.match(part, new RegExp(`'\\*?${flag}=?\\[`), `${verb}: ${flag}`);
  }
  if (!has(t, 'zsh')) return;
  const { status, stderr } = spawnSync('zsh', ['-n', join(folder, 'zsh')], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
});

test('the build keeps what the program prints, for the installation', () => {
  const share = join(dirname(dirname(program)), 'share');
  for (const [file, ...args] of [['man/man1/retrystorm-run.1', 'man', 'run'], ['completions/retrystorm.bash', 'completions', 'bash'],
    ['completions/_retrystorm', 'completions', 'zsh'], ['completions/retrystorm.fish', 'completions', 'fish']]) {
    assert.equal(readFileSync(join(share, file), 'utf8'), retrystorm(...args), file);
  }
});
