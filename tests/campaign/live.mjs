// The part of the campaign that runs for real: each run over loopback under one random fault, then judged.
//   node tests/campaign/live.mjs M SEED                  M runs
//   node tests/campaign/live.mjs --again FAULT LINE...   one run again: a fault as it is printed, the lines of the scenario
// Environment: RETRYSTORM, the program; CAMPAIGN, the program that draws the scenarios.
// What goes wrong beneath a run stands in faults.mjs, what must hold afterwards in verdict.mjs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dice } from './dice.mjs';
import { drawFault, faultFrom, faultText } from './faults.mjs';
import { perform } from './perform.mjs';
import { wrongWith } from './verdict.mjs';

const mostFound = 10;  // a campaign that finds so much need not go on
const mostAgain = 12;  // runs that shrinking may take

function usage() {
  process.stderr.write('usage: live.mjs M SEED | live.mjs --again FAULT LINE...\n');
  process.exit(2);
}

async function attempt(fault, lines) {
  const folder = mkdtempSync(join(tmpdir(), 'retrystorm-campaign-'));
  try {
    const run = await perform(fault, lines, folder);
    return { run, wrong: wrongWith(run) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const command = (fault, lines) => `tests/campaign/run --again ${[faultText(fault), ...lines].map(quoted).join(' ')}`;

// Every line left out without which the same goes wrong. A race need not come again: then nothing is left out.
async function shrunk(fault, lines, kind) {
  let runs = 0;
  const comesAgain = async (some) => {
    if (++runs > mostAgain) return false;
    return (await attempt(fault, some)).wrong.some((one) => one.kind === kind);
  };
  if (!await comesAgain(lines)) return { lines, note: ' (did not come again at once)' };
  for (let i = lines.length - 1; i >= 0; --i) {
    const less = lines.filter((_, at) => at !== i);
    if (await comesAgain(less)) lines = less;
  }
  return { lines, note: '' };
}

async function campaign(count, seed) {
  const scenarios = JSON.parse(execFileSync(process.env.CAMPAIGN, ['--live', `${count}`, `${seed}`], { encoding: 'utf8' }));
  const ends = new Map();
  let found = 0;
  for (let i = 0; i < count && found < mostFound; ++i) {
    const fault = drawFault(new Dice(seed, i, 'fault'));
    const { run, wrong } = await attempt(fault, scenarios[i]);
    const end = `${fault.name}: ${run.end}`;
    ends.set(end, (ends.get(end) ?? 0) + 1);
    if (wrong.length === 0) continue;
    ++found;
    console.log(`run ${i}: ${faultText(fault)}: ${wrong[0].text}`);
    const { lines, note } = await shrunk(fault, scenarios[i], wrong[0].kind);
    console.log(`  ${command(fault, lines)}${note}`);
  }
  const seen = [...ends].sort().map(([end, times]) => `${end} ${times}`).join(', ');
  console.log(`campaign live ${count} ${seed}: ${seen}; ${found} with faults`);
  return found === 0 ? 0 : 1;
}

async function again(text, lines) {
  const { run, wrong } = await attempt(faultFrom(text), lines);
  for (const { text: what } of wrong) console.log(what);
  if (wrong.length === 0) console.log(`nothing is wrong: ${run.end}, exit code ${run.code}`);
  return wrong.length === 0 ? 0 : 1;
}

const args = process.argv.slice(2);
if (args[0] === '--again' && args.length >= 2) {
  process.exit(await again(args[1], args.slice(2)));
} else if (args.length === 2 && args.every((one) => /^\d+$/.test(one))) {
  process.exit(await campaign(Number(args[0]), Number(args[1])));
} else {
  usage();
}
