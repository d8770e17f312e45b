// docs/metrics.md, made from what serve and load really export: families, help texts, labels.
//   node tests/dashboards/metrics-page.mjs > docs/metrics.md      (RETRYSTORM names the program)
import { fileURLToPath } from 'node:url';
import { Running } from './live-run.mjs';
import { retrystorm } from './support.mjs';

// The metrics of a service and of a generator after a short overload, as text.
export async function scrapeBoth() {
  const service = new Running(retrystorm, 'serve', '--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0', '--json',
                              '--workers', '2', '--work', '5ms', '--queue', '4', '--timeout', '10ms');
  let generator;
  try {
    const [, address, metrics] = await service.says(/"address":"([^"]+)","metrics":"([^"]+)"/, 60);
    const port = await freePort();
    generator = new Running(retrystorm, 'load', `http://${address}/`, '--metrics', `127.0.0.1:${port}`, '--hold', '--json',
                            '--rate', '800', '--duration', '300ms', '--timeout', '10ms', '--retries', '1');
    await generator.says(/"tally"[^]*\n}/, 60);
    const scrape = async (where) => {
      const response = await fetch(`http://${where}/metrics`);
      return { type: response.headers.get('content-type'), text: await response.text() };
    };
    return { service: await scrape(metrics), client: await scrape(`127.0.0.1:${port}`) };
  } finally {
    if (generator) await generator.stop('SIGTERM');
    await service.stop('SIGTERM');
  }
}

async function freePort() {
  const { createServer } = await import('node:net');
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

// [{name, help, type, labels: Map of label -> Set of values}]
export function familiesOf(text) {
  const families = new Map();
  for (const line of text.split('\n')) {
    const about = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    const sample = /^([a-z_]+)(?:\{(.*)\})? /.exec(line);
    if (about) {
      const [, what, name, value] = about;
      if (!families.has(name)) families.set(name, { name, help: '', labels: new Map() });
      families.get(name)[what.toLowerCase()] = value;
    } else if (sample) {
      const family = families.get(sample[1]) ?? families.get(sample[1].replace(/_(bucket|sum|count)$/, ''));
      for (const [, label, value] of (sample[2] ?? '').matchAll(/(\w+)="([^"]*)"/g)) {
        if (!family.labels.has(label)) family.labels.set(label, new Set());
        family.labels.get(label).add(value);
      }
    }
  }
  return [...families.values()];
}

function table(text) {
  const rows = familiesOf(text).map(({ name, type, help, labels }) => {
    const shown = [...labels].map(([label, values]) => (label === 'le' ? '`le`' : `\`${label}\`: ${[...values].join(', ')}`));
    return `| \`${name}\` | ${type} | ${help} | ${shown.join('; ')} |`;
  });
  return ['| metric | type | what it says | labels |', '|---|---|---|---|', ...rows].join('\n');
}

export function page({ service, client }) {
  return `# Metrics

<!-- Made by tests/dashboards/metrics-page.mjs from a real scrape; a test holds it to the programs. -->

\`retrystorm serve\` and \`retrystorm load\` export these on a port of their own (\`--metrics\`), in Prometheus' text
format. They are filled when somebody scrapes, from counters that each thread keeps for itself: the hot path
pays a plain store. Every label has a closed set of values; none carries free text. What the words mean stands in
[semantics.md](semantics.md), how to look at them in [watching.md](watching.md).

The buckets of latency histograms stand around the client's timeout, those of the work time around the work time,
because the question is always on which side of it a request fell.

## The service

${table(service.text)}

## The generator

A load of several classes of clients has one label more, \`class\`, the number of the class from 0: each count and each
histogram of the generator then has its samples for every class, and their sum is the whole.

${table(client.text)}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(page(await scrapeBoth()));
