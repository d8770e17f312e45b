// Writes series.json: what a real Prometheus scraped of a real run, for the tests of the rules.
//   retrystorm run tests/dashboards/series.toml --prometheus --out DIR
//   retrystorm watch DIR --listen 127.0.0.1:20901 &
//   node tests/dashboards/extract-series.mjs http://127.0.0.1:20901 > tests/dashboards/series.json
// Of each arm its last try, from its first sample to its last, one value a scrape.
const base = process.argv[2];
const interval = 0.25;
const metrics = [
  'requests_offered_total', 'requests_total', 'attempts_total', 'completed_total', 'abandoned_seen_total',
  'seen_later_total', 'worker_seconds_total', 'queue_length', 'useful_queue',
].map((name) => `retrystorm_${name}`);

const get = async (path) => (await fetch(base + path)).json();

const run = await get('/user/run.json');
const last = new Map(run.tries.map((t) => [t.arm, t]));
const arms = {};
for (const [arm, { from, to }] of last) {
  const window = Math.round(1000 * (to - from + interval));
  const query = `{__name__=~"${metrics.join('|')}"}[${window}ms]`;
  const answer = await get(`/api/v1/query?${new URLSearchParams({ query, time: to })}`);
  const start = Math.min(...answer.data.result.map(({ values }) => values[0][0]));
  arms[arm] = {};
  for (const { metric, values } of answer.data.result) {
    const { __name__: name, job, instance, ...labels } = metric;
    const text = Object.entries({ job, ...labels }).map(([k, v]) => `${k}="${v}"`).join(',');
    const column = [];
    for (const [time, value] of values) column[Math.round((time - start) / interval)] = Number(Number(value).toPrecision(9));
    // Attempts and requests that never ended so would only take up room; the zeros of a healthy
    // run's abandoned work are what the tests are about.
    if (column.every((v) => v === 0) && labels.outcome && labels.outcome !== 'succeeded') continue;
    if (column.every((v) => v === 0) && labels.attempt > '0') continue;
    arms[arm][`${name}{${text}}`] = Array.from(column, (v) => v ?? null);
  }
}
const lines = Object.entries(arms).map(([arm, series]) =>
  `  ${JSON.stringify(arm)}: {\n${Object.entries(series).map(([name, values]) => `    ${JSON.stringify(name)}: ${JSON.stringify(values)}`).join(',\n')}\n  }`);
console.log(`{\n  "interval": ${interval},\n${lines.join(',\n')}\n}`);
