// What the judge of live runs sees, on reports made up by hand: each thing that may not be is found, and a run in which
// all is well is let pass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from './dice.mjs';
import { drawFault, faultFrom, faultText } from './faults.mjs';
import { booksOf, outsideTheBand, wrongWith } from './verdict.mjs';

const counts = () => ({
  offered: 1000, succeeded: 900, gave_up: 100, unsent: 0, attempts: 1200, rejected: 200, timed_out: 100, failed_status: 0,
  connect_error: 0, io_error: 0, arrived: 1200, completed: 1000, refused: 200, skipped: 0, taken: 900, abandoned: 100,
  undelivered: 0, cut: 0, unfinished: { attempts: 0, requests: 0, arrivals: 0 },
});
const spread = (of) => Object.fromEntries(Object.entries(of).filter(([, count]) => typeof count === 'number')
  .map(([name, count]) => [name, { mean: count, sd: 1, low: count - 2, high: count + 2 }]));

// A trusted run; `change` may spoil it.
function made(fault, change = () => {}) {
  const scenario = { service: { work_shape: 'fixed', discipline: 'fifo' }, client: { rate: 1000, duration: '1s', arrivals: 'even', jitter: 'none' } };
  const attempt = {
    trusted: true, reasons: [], tally: { counts: counts() }, trust: { send_lag_p99_ms: 0.5, send_lag_max_ms: 5, service_cpu_share: 0.2 },
    limits: { send_lag_p99_ms: 1, send_lag_max_ms: 20, cpu_share: 0.9 },
  };
  const arm = { trusted: true, scenario, measured: { counts: counts() }, tries: [attempt], predicted: { calibrated: { simulate: { spread: { counts: spread(counts()) } } } } };
  const run = { fault: faultFrom(fault), code: 0, signal: null, errors: '', hung: false, gone: true, report: { arms: [arm] } };
  change(run, arm, attempt);
  return run;
}
const kinds = (run) => wrongWith(run).map(({ kind }) => kind);
const untrusted = (reason) => (run, arm, attempt) => {
  Object.assign(arm, { trusted: false });
  Object.assign(attempt, { trusted: false, reasons: [reason] });
  Object.assign(run, { code: 3 });
};

test('a run in which all is well passes', () => assert.deepEqual(kinds(made('none')), []));

test('books see every count that is off by one', () => {
  assert.deepEqual(booksOf(counts()), []);
  for (const name of ['rejected', 'succeeded', 'refused', 'taken', 'gave_up', 'abandoned']) {
    assert.notDeepEqual(booksOf({ ...counts(), [name]: counts()[name] + 1 }), [], name);
  }
  assert.deepEqual(kinds(made('none', (run, arm, attempt) => { attempt.tally.counts.rejected += 1; })), ['books']);
});

test('a dropped row and a reply counted twice are seen though the run itself is untrusted for them', () => {
  for (const reason of ['attempts: the generator counted 1200, the ledger 1199', 'arrivals whose attempt record was lost: 1',
                        'rejected: the generator counted 400, the ledger 200']) {
    assert.deepEqual(kinds(made('none', untrusted(reason))), ['books apart'], reason);
    assert.deepEqual(kinds(made('stop who=serve after=100 for=50', untrusted(reason))), ['books apart'], reason);
    assert.deepEqual(kinds(made('kill who=serve after=100', untrusted(reason))), [], reason);
  }
  assert.deepEqual(kinds(made('none', untrusted('send lag max 31 ms is above 20 ms'))), []);
});

test('a trusted run that breaks its own limits is seen', () => {
  assert.deepEqual(kinds(made('none', (run, arm, attempt) => { attempt.trust.send_lag_max_ms = 21; })), ['limits']);
});

test('a generator that stood still while requests were due is known from outside', () => {
  const stood = (ms) => (run) => Object.assign(run, { origin: 5_000_000_000n, stopped: { from: 5_100_000_000n, to: 5_100_000_000n + BigInt(ms) * 1_000_000n } });
  assert.deepEqual(kinds(made('stop who=load after=100 for=80', stood(80))), ['stopped']);
  assert.deepEqual(kinds(made('stop who=load after=100 for=20', stood(20))), []);
});

test('a count beyond the band and 1 % of the attempts is seen, one within it is not', () => {
  const off = (by) => made('none', (run, arm) => { arm.measured.counts.timed_out += by; }).report.arms[0];
  assert.equal(outsideTheBand(off(14)).length, 0);
  assert.equal(outsideTheBand(off(15)).length, 1);
});

test('a flipped bit may change nothing that is still trusted', () => {
  const told = (change) => (run) => {
    const other = structuredClone(run.report);
    change(other.arms[0]);
    Object.assign(run, { flipped: 'x/attempts-0.bin', told: other, reader: { code: 0, signal: null, errors: '' } });
  };
  assert.deepEqual(kinds(made('flip file=attempts at=1 bit=1', told(() => {}))), []);
  assert.deepEqual(kinds(made('flip file=attempts at=1 bit=1', told((arm) => { arm.measured.counts.offered = 7; }))), ['flip']);
});

test('an end that no document knows is seen', () => {
  const ends = (change) => kinds(made('none', (run) => Object.assign(run, change)));
  assert.deepEqual(ends({ code: null, signal: 'SIGABRT' }), ['end of run', 'code']);
  assert.deepEqual(ends({ code: 134 }), ['end of run', 'code']);
  assert.deepEqual(ends({ errors: 'retrystorm: a\nretrystorm: b\n' }), ['end of run']);
  assert.deepEqual(ends({ hung: true }), ['hang']);
  assert.deepEqual(ends({ gone: false }), ['left']);
});

test('faults are the same for the same seed, and are printed so that they can be repeated', () => {
  const names = new Set();
  for (let i = 0; i < 300; ++i) {
    const fault = drawFault(new Dice(1, i, 'fault'));
    assert.deepEqual(fault, drawFault(new Dice(1, i, 'fault')));
    assert.deepEqual(faultFrom(faultText(fault)), fault);
    names.add(fault.name);
  }
  for (const name of ['none', 'stop', 'kill', 'interrupt', 'descriptors', 'file', 'peer', 'flip']) assert.ok(names.has(name), name);
});
