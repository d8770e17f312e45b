// What must hold after any run, whatever went wrong beneath it: an end that the documents know, one line of errors,
// books that balance, and nothing wrong shown as right. Each thing that does not hold: {kind, text}.

const documented = [0, 2, 3, 130];

// The identities of docs/semantics.md, said here apart from the program's own judgement.
const identities = [
  ['attempts', ['succeeded', 'rejected', 'timed_out', 'failed_status', 'connect_error', 'io_error', 'unfinished.attempts']],
  ['offered', ['succeeded', 'gave_up', 'unsent', 'unfinished.requests']],
  ['arrived', ['completed', 'refused', 'skipped', 'unfinished.arrivals']],
  ['completed', ['taken', 'abandoned', 'undelivered', 'cut']],
];

// Reasons that say that the books do not fit each other. No stall and no limit of the machine explains one.
const ofTheBooks = /counted|identity|were lost|record was lost|twice|contradict|never saw|torn|missing|not offered as scheduled|id of another/;

// Whether the fault may be why: one that costs records, or an interrupt before there were any.
const costRecords = new Set(['kill', 'file', 'disk', 'memory', 'descriptors', 'flip']);
const explains = (fault, reason) => costRecords.has(fault.name) || (fault.name === 'interrupt' && /file: missing/.test(reason));

const at = (counts, path) => path.split('.').reduce((object, key) => object?.[key], counts);

export function booksOf(counts) {
  const wrong = [];
  for (const [whole, parts] of identities) {
    const numbers = parts.map((path) => at(counts, path));
    if (numbers.some((one) => typeof one !== 'number') || typeof counts[whole] !== 'number') continue;
    const sum = numbers.reduce((a, b) => a + b, 0);
    if (sum !== counts[whole]) wrong.push(`${whole} ${counts[whole]} is not ${sum}, the sum of ${parts.join(', ')}`);
  }
  const negative = Object.entries(counts).filter(([, count]) => count < 0);
  for (const [name, count] of negative) wrong.push(`${name} is ${count}`);
  return wrong;
}

// Of one line each, and nothing that a sanitizer or the language's runtime says.
function errorsOf(who, { code, signal, errors }) {
  const wrong = [];
  const lines = errors.split('\n').filter(Boolean);
  if (/Sanitizer|runtime error|terminate called|Assertion/.test(errors)) wrong.push(`${who} crashes: ${lines[0]}`);
  if (signal) wrong.push(`${who} ends by ${signal}`);
  if (!signal && !documented.includes(code)) wrong.push(`${who} ends with exit code ${code}`);
  if (lines.length > 1) wrong.push(`${who} says ${lines.length} lines: ${lines.slice(0, 3).join(' | ')}`);
  if (code === 2 && lines.length !== 1) wrong.push(`${who} ends with 2 and ${lines.length} lines`);
  return wrong.map((text) => ({ kind: `end of ${who}`, text }));
}

const drawnAtRandom = ({ service, client }) => service.work_shape !== 'fixed' || service.discipline === 'random' || client.jitter !== 'none';

// A count of a trusted arm outside the calibrated band widened by 1 % of the attempts (three at least: a count of a few
// dozen moves by whole ones). What the service or the client draws is one sample, so its band is the sample's.
export function outsideTheBand(arm) {
  const band = arm.predicted?.calibrated?.simulate;
  if (!arm.trusted || !arm.measured || !band?.spread?.counts || band.approximations?.length) return [];
  const wide = Math.max(3, 0.01 * arm.measured.counts.attempts);
  const random = drawnAtRandom(arm.scenario);
  return ['succeeded', 'gave_up', 'attempts', 'rejected', 'timed_out', 'arrived', 'completed', 'refused', 'abandoned'].flatMap((name) => {
    const spread = at(band.spread.counts, name);
    const measured = at(arm.measured.counts, name);
    const extra = wide + (random ? 5 * spread.sd : 0);
    if (measured >= spread.low - extra && measured <= spread.high + extra) return [];
    return [`trusted, and ${measured} ${name} where the calibrated band is ${spread.low} to ${spread.high}, of ${arm.measured.counts.attempts} attempts`];
  });
}

// Limits of trust by the figure that each is of.
const figures = [['send_lag_p99_ms', 'send_lag_p99_ms'], ['send_lag_max_ms', 'send_lag_max_ms'], ['service_cpu_share', 'cpu_share'], ['generator_cpu_share', 'cpu_share']];

function ofTries(run, report) {
  const wrong = [];
  const say = (kind, text) => wrong.push({ kind, text });
  for (const arm of report.arms ?? []) {
    for (const attempt of arm.tries ?? []) {
      for (const text of booksOf(attempt.tally.counts)) say('books', text);
      if (attempt.trusted !== (attempt.reasons.length === 0)) say('reasons', `trusted is ${attempt.trusted} with the reasons ${attempt.reasons}`);
      for (const [figure, limit] of figures) {
        if (attempt.trusted && attempt.trust[figure] > attempt.limits[limit]) {
          say('limits', `trusted with ${figure} ${attempt.trust[figure]} above ${attempt.limits[limit]}`);
        }
      }
      const unfit = attempt.reasons.filter((reason) => ofTheBooks.test(reason) && !explains(run.fault, reason));
      if (unfit.length > 0) say('books apart', `nothing explains it: ${unfit[0]}`);
    }
    for (const text of outsideTheBand(arm)) say('band', text);
  }
  return wrong;
}

// The generator stood still for longer than a send may be late, while requests were due: known from outside.
function stoppedAndTrusted({ fault, stopped, origin, report }) {
  const arm = report?.arms?.[0];
  if (fault.name !== 'stop' || fault.who !== 'load' || !stopped || !origin || !arm?.trusted) return [];
  const { rate, duration, arrivals } = arm.scenario.client;
  const length = Number.parseFloat(duration) * (duration.endsWith('ms') ? 1 : 1000);
  const ms = (instant) => Number(instant - origin) / 1e6;
  const still = Math.min(ms(stopped.to), length) - Math.max(ms(stopped.from), 0);
  const due = (arrivals === 'even' ? 2 : 20) * 1000 / rate;
  const most = arm.tries[0].limits.send_lag_max_ms + due + 5;
  if (still < most || arm.measured.counts.unsent > 0) return [];
  return [{ kind: 'stopped', text: `trusted, and the generator stood still for ${still.toFixed(0)} ms` }];
}

const figuresOf = (arm) => JSON.stringify([arm.measured?.counts, arm.measured?.whole, arm.measured?.latency_ms]);

// After a bit has changed: the same figures, or none that are trusted.
function toldOtherwise({ flipped, report, told }) {
  const [before] = report?.arms ?? [];
  const [after] = told?.arms ?? [];
  if (!flipped || !before || !after?.trusted || figuresOf(before) === figuresOf(after)) return [];
  return [{ kind: 'flip', text: `a bit of ${flipped.split('/').pop()} flipped: trusted, and other figures` }];
}

export function wrongWith(run) {
  const wrong = [];
  if (run.hung) wrong.push({ kind: 'hang', text: 'the run does not end' });
  if (!run.gone) wrong.push({ kind: 'left', text: 'processes of the run are left' });
  const killed = run.fault.name === 'kill' && run.fault.who === 'run' && run.killed;
  if (!run.hung && !killed) wrong.push(...errorsOf('run', run));
  if (run.reader) wrong.push(...errorsOf('report', run.reader));
  if (run.tracer) wrong.push(...errorsOf('trace', run.tracer));
  for (const report of [run.report, run.told].filter(Boolean)) wrong.push(...ofTries(run, report));
  if (run.report && !killed) {
    const trusted = run.report.arms.every((arm) => arm.trusted);
    if (run.code !== 130 && trusted !== (run.code === 0)) wrong.push({ kind: 'code', text: `exit code ${run.code} of a run that is ${trusted ? '' : 'not '}trusted` });
  }
  if (run.code === 0 && !run.report) wrong.push({ kind: 'code', text: 'exit code 0 and no report' });
  wrong.push(...stoppedAndTrusted(run), ...toldOtherwise(run));
  return wrong;
}
