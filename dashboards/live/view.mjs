// What can be looked at, and what a look at it takes: parts of time to ask for, where each stands on the axis, the
// tries as bands, and the instant whose numbers are told. No browser and no network here.

const name = ({ arm, try_number: n }, tries) => (tries.filter((t) => t.arm === arm).length > 1 || n > 0 ? `${arm}, try ${n}` : arm);

// [value, text] of each: the arm that runs, while the run goes on; now; each try that is over; each arm with several.
export function offered(tries, goesOn) {
  const views = [['live 15', 'now, 15 s'], ['live 30', 'now, 30 s'], ['live 60', 'now, 1 min'], ['live 300', 'now, 5 min']];
  if (goesOn && tries.length > 0) views.unshift(['running', 'the arm that runs']);
  tries.forEach((one, i) => {
    const same = tries.filter(({ arm, to }) => arm === one.arm && to);
    if (same.length > 1 && same[0] === one) views.push([`arm ${i}`, `${one.arm}, all ${same.length} tries`]);
    if (one.to) views.push([`try ${i}`, name(one, tries)]);
  });
  return views;
}

// The last `seconds` before `now`, by the clock.
export function liveView(tries, now, seconds) {
  const [from, to] = [now - seconds, now];
  const bands = tries.filter((t) => t.from < to && (t.to ?? now) > from)
    .map((t) => ({ from: t.from, until: Math.min(t.sent_until, t.to ?? now, now), to: t.to ?? now, name: name(t, tries) }));
  const going = tries.find((t) => !t.to);
  return { from, to, instant: to, zero: null, bands, tries: going ? [going] : [],
           parts: [{ key: 'live', from, to, shift: 0 }] };
}

// The tries of one arm on the arm's own time, which stands still while another arm runs: kind "try" (the one of that
// number), "arm" (all of the arm of that one) or "running". Of a try, the end of its sending is what counts:
// afterwards everything falls to nothing.
export function triesView(tries, kind, number, now) {
  const one = kind === 'running' ? tries.find((t) => !t.to) ?? tries.at(-1) : tries[number];
  const chosen = kind === 'try' ? [one] : tries.filter((t) => t.arm === one.arm && (t.to || kind === 'running'));
  const parts = [];
  const bands = [];
  for (const t of chosen) {
    const before = parts.at(-1);
    const to = t.to ?? now;
    const shift = before ? before.to + before.shift + pause - t.from : 0;
    parts.push({ key: `try ${tries.indexOf(t)}`, from: t.from, to, shift });
    bands.push({ from: t.from + shift, until: Math.min(t.sent_until, to) + shift, to: to + shift, name: chosen.length > 1 ? `try ${t.try_number}` : '' });
  }
  const last = chosen.at(-1);
  const { shift, to } = parts.at(-1);
  const instant = last.to ? last.sent_until : now;
  return { from: parts[0].from, to: to + shift, instant, legend: instant + shift, zero: parts[0].from, bands, tries: chosen, parts };
}

const pause = 0.5;  // seconds between two tries on the arm's own time
