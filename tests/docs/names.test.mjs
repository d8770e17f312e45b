// What the README, docs/, the help and the comments name exists: files, verbs, flags, fields, metrics.
// Environment: RETRYSTORM, the program.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = process.env.RETRYSTORM ?? join(root, 'build/dev/experiments/retrystorm');
const retrystorm = (...args) => execFileSync(program, args, { encoding: 'utf8' });
const text = (path) => readFileSync(join(root, path), 'utf8');

const folders = ['core', 'service', 'loadgen', 'model', 'experiments', 'dashboards', 'tests', 'docs'];
const files = [], directories = [...folders];
for (const folder of directories) {  // grows as it goes
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (entry.isDirectory()) directories.push(`${folder}/${entry.name}`);
    else files.push(`${folder}/${entry.name}`);
  }
}
files.push(...readdirSync(root, { withFileTypes: true }).filter((e) => e.isFile()).map((e) => e.name));

const docs = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...files.filter((path) => /^docs\/[^/]+\.md$/.test(path))];

// What is no file of the tree: made by a run, a verb or a build, a reader's own, or the name of a program.
const made = new Set(['experiment.toml', 'run.sqlite', 'report.json', 'report.html', 'history.sqlite', 'history.html',
  'run.json', 'try.json', 'requests.json', 'events.json', 'model.toml', 'script.toml', 'report.md', 'storm.json',
  'baseline.json', 'rules.yaml', 'Node.js']);

// Whether the tree has it: by its path from the root, by the end of its path (report/words/words.hpp), or
// for a path that stands in a file, from that file's folder. `*` and NAME stand for any characters.
function inTree(path, from) {
  const pattern = new RegExp(`(^|/)${path.replace(/\/$/, '').replace(/[.+]/g, '\\$&').replace(/\*+|(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])/g, '[^/]*')}$`);
  const beside = posix.normalize(posix.join(posix.dirname(from), path));
  return [...files, ...directories].some((one) => pattern.test(one) || one === beside);
}

// The words of a text that are file names or paths within the tree's folders.
function pathsIn(words) {
  const named = words.matchAll(/(?<![\w./*:@%$-])[\w.*-][\w./*-]*\.(?:hpp|cpp|md|mjs|js|sql|toml|yaml|css|html|json|cmake|sqlite)\b(?:\.in\b)?(?![(/])/g);
  const within = words.matchAll(new RegExp(`(?<![\\w./*:$}-])(?:${folders.join('|')})/[\\w./*-]*[\\w*/]`, 'g'));
  return [...new Set([...named, ...within].map(([path]) => path))];
}

function missingIn(words, from) {
  return pathsIn(words).filter((path) => !made.has(posix.basename(path)) && !inTree(path, from))
    .map((path) => `${from}: ${path}`);
}

// The comments of a source file; a script's or a program's text otherwise is no claim about the tree.
function commentsOf(path) {
  const mark = /\.(hpp|cpp|mjs|js|in)$/.test(path) ? /(?:^|\s)\/\/(.*)/ : path.endsWith('.sql') ? /(?:^|\s)--(.*)/ : /(?:^|\s)#(.*)/;
  return text(path).split('\n').map((line) => (line.startsWith('#include') ? '' : mark.exec(line)?.[1] ?? '')).join('\n');
}

// The code of a page: its blocks, line by line with continued lines joined, and its spans.
function codeOf(page) {
  const lines = [], prose = [];
  let fenced = false;
  for (const line of page.replace(/\\\n\s*/g, '').split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    else (fenced || line.startsWith('    ') ? lines : prose).push(line);
  }
  const spans = [...prose.join('\n').matchAll(/`([^`]+)`/g)].map(([, span]) => span.replace(/\s+/g, ' '));
  return { lines, spans };
}

// The verbs and each one's flags, as the program's help has them.
const helps = new Map();
for (const [, verb] of retrystorm('--help').split('Subcommands:\n')[1].matchAll(/^ {2}([a-z-]+) /gm)) {
  helps.set(verb, retrystorm(verb, '--help'));
}
const flagsOf = (verb) => new Set(['--version', '--help',
  ...[...helps.get(verb)?.matchAll(/^ {2}(--[a-z0-9-]+)/gm) ?? []].map(([, flag]) => flag)]);
const allFlags = new Set([...helps.keys()].flatMap((verb) => [...flagsOf(verb)]));
const flagsIn = (words) => [...words.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].map(([flag]) => flag);

// What a line of code asks of the program: [{verb, flags}]. In a span the name may be left out: `run --watch`.
function callsIn(code, spans) {
  const calls = [];
  for (const part of code.split(/&&|[|;)]/)) {
    const named = /(?:^|[\s/])retrystorm ((?:[a-z][a-z-]+|--).*)/.exec(part)?.[1];
    const short = spans && /^[a-z-]+(?= --)/.test(part) && helps.has(part.split(' ')[0]) ? part : undefined;
    const call = named ?? short;
    if (call) calls.push({ verb: call.split(' ')[0], flags: flagsIn(call) });
  }
  return calls;
}

test('the docs name only files that exist', () => {
  assert.deepEqual(docs.flatMap((doc) => missingIn(text(doc), doc)), []);
});

test('the docs link only to pages and headings that exist', () => {
  const slug = (heading) => heading.toLowerCase().replace(/[^\w\s-]/g, '').trim().replace(/\s/g, '-');
  const broken = [];
  for (const doc of docs) {
    for (const [, target] of text(doc).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path, anchor] = target.split('#');
      const page = path ? posix.normalize(posix.join(posix.dirname(doc), path)) : doc;
      const known = files.includes(page)
        && (!anchor || text(page).split('\n').some((line) => /^#+ /.test(line) && slug(line.replace(/^#+ /, '')) === anchor));
      if (!known) broken.push(`${doc}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('the docs name only verbs and flags that exist', () => {
  const unknown = [];
  let seen = 0;
  for (const doc of docs) {
    const { lines, spans } = codeOf(text(doc));
    for (const { verb, flags } of [...lines.flatMap((line) => callsIn(line, false)), ...spans.flatMap((span) => callsIn(span, true))]) {
      ++seen;
      if (!helps.has(verb) && !verb.startsWith('--')) unknown.push(`${doc}: retrystorm ${verb}`);
      else for (const flag of flags) if (!flagsOf(verb).has(flag)) unknown.push(`${doc}: ${verb} ${flag}`);
    }
    for (const span of spans.filter((one) => one.startsWith('--'))) {
      for (const flag of flagsIn(span)) if (!allFlags.has(flag)) unknown.push(`${doc}: ${flag}`);
    }
  }
  assert.ok(seen > 30, `only ${seen} commands found`);
  assert.deepEqual(unknown, []);
});

test('the docs name only fields that exist', () => {
  const fields = new Set(JSON.parse(retrystorm('fields', '--json')).map(({ field }) => field));
  const unknown = [];
  for (const doc of docs) {
    for (const [name] of text(doc).matchAll(/\b(?:service|client|network|simulation)\.[a-z_]+\b/g)) {
      if (!/\.(?:hpp|cpp)$/.test(name) && !fields.has(name)) unknown.push(`${doc}: ${name}`);
    }
    // The rows of a table of fields: | `[service]` | `workers` (20), ...
    for (const [, table, row] of text(doc).matchAll(/^\| (?:`\[(\w+)\]`|\(top\)) \|(.*)/gm)) {
      for (const [, name] of row.matchAll(/`([a-z_]+)`/g)) {
        if (!fields.has(table ? `${table}.${name}` : name)) unknown.push(`${doc}: [${table ?? ''}] ${name}`);
      }
    }
  }
  assert.deepEqual(unknown, []);
});

test('docs and dashboards name only metrics that exist', () => {
  const metrics = new Set([...text('docs/metrics.md').matchAll(/^\| `(retrystorm_\w+)`/gm)].map(([, name]) => name));
  assert.ok(metrics.size > 20);
  const unknown = [];
  for (const path of [...docs, ...files.filter((one) => /^dashboards\/.*\.(json|yaml|mjs|html)$/.test(one) && !one.includes('/vendor/'))]) {
    for (const [name] of text(path).replace(/^ *- name:.*/gm, '').matchAll(/(?<![\w:])retrystorm_[a-z]\w*/g)) {
      if (!metrics.has(name) && !metrics.has(name.replace(/_(bucket|sum|count)$/, ''))) unknown.push(`${path}: ${name}`);
    }
  }
  assert.deepEqual(unknown, []);
});

test('the help names only files and flags that exist', () => {
  const unknown = [];
  for (const [verb, help] of helps) {
    unknown.push(...missingIn(help.replace(/(baseline\.json|results\/\S+|\/\w+\/\S+)/g, ''), `${verb} --help`));
    for (const flag of flagsIn(help)) if (!allFlags.has(flag)) unknown.push(`${verb} --help: ${flag}`);
  }
  assert.deepEqual(unknown, []);
});

test('the comments name only files that exist', () => {
  const sources = files.filter((path) => (/\.(hpp|cpp|mjs|js|sql|toml|yaml|cmake|in|txt)$/.test(path) || !/\.\w+$/.test(path))
    && !/^tests\/(data|fuzz\/corpus)\/|\/vendor\/|LICENSE/.test(path));
  assert.deepEqual(sources.flatMap((path) => missingIn(commentsOf(path), path)), []);
});

test('the first screen of the README has what it is, the two commands, an answer and a picture', () => {
  const screen = text('README.md').split('\n').slice(0, 30).join('\n');
  assert.match(screen, /What will my service do past its limit, and which knob saves it\?/);
  assert.match(screen, /^ {4}experiments\/reproduce .*\n {4}tests\/run /m);
  assert.match(screen, /^ {4}\$ retrystorm predict .*\n {4}ceiling /m);
  assert.match(screen, /^!\[[^\]]+\]\(docs\/pictures\/[a-z]+\.png\)$/m);
});

test('the README stays short, and tables of costs stand elsewhere', () => {
  assert.ok(text('README.md').split('\n').length <= 160);
  assert.ok(text('README.md').length <= 11500);
  assert.doesNotMatch(text('README.md'), /haproxy {2,}/);
});

test('what people search for is named in the README and in the table of contents', () => {
  for (const page of ['README.md', 'docs/README.md']) {
    for (const word of [/coordinated omission/i, /metastable failure/i, /goodput/i, /retry storm/i]) assert.match(text(page), word, page);
  }
});

test('the table of contents links to every page', () => {
  const linked = new Set([...text('docs/README.md').matchAll(/\]\(([\w./-]+\.md)/g)].map(([, page]) => posix.normalize(posix.join('docs', page))));
  const pages = docs.filter((page) => !['README.md', 'docs/README.md'].includes(page));
  assert.deepEqual(pages.filter((page) => !linked.has(page)), []);
  assert.match(text('README.md'), /\]\(docs\/README\.md\)/);
});

test('the useful queue has one formula, wherever it stands', () => {
  const formula = /max\(0, floor\(\(timeout - round_trip - work\) x workers \/ work\)\)/;
  for (const page of ['README.md', 'docs/semantics.md', 'docs/prediction.md']) {
    assert.match(text(page), formula, page);
    assert.match(text(page), /step[^]*slope/, `${page}: for which arrivals it is a step`);
  }
});
