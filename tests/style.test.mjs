// How the tests of this tree are named and where they stand, each rule by the list of what breaks it.
// GoogleTest joins suite and test by an underscore, so names have none: TEST(Queue,
// RejectsTheArrivalThatFindsNoPlace), the suite the thing, the test a claim about it. Scripts say their claims
// in a sentence.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(here, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(here, join(entry.parentPath ?? entry.path, entry.name)));
const text = new Map(files.filter((file) => /\.(cpp|hpp|mjs)$/.test(file)).map((file) => [file, readFileSync(join(here, file), 'utf8')]));

// What a pattern finds in files of that ending: [{where, match}].
function found(ending, pattern) {
  return [...text].filter(([file]) => file.endsWith(ending)).flatMap(([file, all]) =>
    [...all.matchAll(pattern)].map((match) => ({ where: `${file}:${all.slice(0, match.index).split('\n').length}`, match, all })));
}

const claims = found('.cpp', /^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)/gm)
  .map(({ where, match: [, suite, claim] }) => ({ suite, claim, name: `${where} ${suite}.${claim}` }));
const sentences = found('.test.mjs', /^\s*test\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/gm)
  .map(({ where, match }) => ({ sentence: (match[1] ?? match[2] ?? match[3]).replace(/\$\{[^}]*\}/g, 'it'), where }));

// How many arguments the call has with which `code` begins.
function argumentsOf(code) {
  let depth = 0;
  let count = 1;
  for (const [part] of code.matchAll(/"(?:[^"\\]|\\.)*"|[^"]/g)) {
    if ('([{'.includes(part)) ++depth;
    if (')]}'.includes(part) && --depth === 0) break;
    if (part === ',' && depth === 1) ++count;
  }
  return count;
}

function nothing(breaks) {
  assert.deepEqual(breaks, []);
}

test('the tests are found', () => assert.ok(claims.length > 500 && sentences.length > 50, `${claims.length}, ${sentences.length}`));

test('suites and claims are words run together, without underscores', () => {
  nothing(claims.filter(({ suite, claim }) => ![suite, claim].every((name) => /^[A-Z][A-Za-z0-9]*$/.test(name))).map(({ name }) => name));
});

// But GoogleTest wants suites that die to end with DeathTest.
test('a suite is a thing, no article before it and no "Test" behind it', () => {
  nothing(claims.filter(({ suite }) => /^(A|An|The)[A-Z]|(?<!Death)Tests?$/.test(suite)).map(({ name }) => name));
});

test('a claim says something of its suite: two words at least', () => {
  nothing(claims.filter(({ claim }) => (claim.match(/[A-Z]/g) ?? []).length < 2).map(({ name }) => name));
});

test('the cases of a parameterised test have names, not numbers', () => {
  nothing(found('.cpp', /^ *INSTANTIATE_TEST_SUITE_P\(/gm)
    .filter(({ match, all }) => argumentsOf(all.slice(match.index)) < 4).map(({ where }) => where));
});

test('scripts say their claims in sentences', () => {
  nothing(sentences.filter(({ sentence }) => !/^\S+( \S+)+$/.test(sentence) || sentence.includes('_'))
    .map(({ where, sentence }) => `${where} ${sentence}`));
});

test('tests that draw their inputs show their seeds', () => {
  nothing(found('_test.cpp', /\b(Random|Mulberry32|mt19937\w*|minstd_rand\w*) \w+[({]/g)
    .filter(({ all }) => !all.includes('#include "tests/seed.hpp"') && !all.includes('"tests/model/simulate/published_cases.hpp"'))
    .map(({ where, match }) => `${where} ${match[0]}`));
});

test('a test stands in the folder of its source', () => {
  const homeless = files.filter((file) => /(_test\.cpp|\.test\.mjs)$/.test(file) && !existsSync(join(here, '..', dirname(file))));
  nothing(homeless);
});
