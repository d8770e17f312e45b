// What the dashboard shows: rows of panels, of numbers (stat) or of lines over time. make.mjs lays them out and
// writes retrystorm.json, which Grafana and the live page read.
//   client, service or both: the title, behind the side that it is seen from. The client's panels stand on the
//     left, beside the panel that follows; one that is left alone takes the whole width.
//   lines: each [legend, colour, expression], 'dash' behind a limit or a comparison. `named` are the colours of
//     the series that one expression with a label in its legend returns.
//   warn: from where on a number is coloured.
const blue = '#2b83c6';
const sky = '#56b4e9';
const green = '#12976f';
const amber = '#e09a00';
const vermilion = '#dd5a12';
const purple = '#bb6aa8';
const grey = '#868e9c';

const rate = (metric) => `sum(rate(retrystorm_${metric}[$__rate_interval]))`;
const quantile = (q, metric) => `histogram_quantile(${q}, sum by (le) (rate(retrystorm_${metric}_bucket[$__rate_interval])))`;
// By a label, those that occurred.
const occurred = (label, metric) =>
  `sum by (${label}) (rate(retrystorm_${metric}[$__rate_interval])) and sum by (${label}) (retrystorm_${metric}) > 0`;
const timeout = ["client's timeout", vermilion, 'max(retrystorm_client_timeout_seconds)', 'dash'];

export const rows = [
  { row: 'At a glance: what clients get, and what the service says of itself', panels: [
    { stat: 'Goodput', unit: 'reqps', decimals: 0, expr: 'sum(retrystorm:goodput:rate5m)',
      description: "Requests that succeeded, a second. The client's view." },
    { stat: 'Throughput', unit: 'reqps', decimals: 0, expr: 'sum(retrystorm:throughput:rate5m)',
      description: "Requests whose work was done, a second, whoever they were for. The service's view: it looks healthy in a collapse." },
    { stat: 'Abandoned share', unit: 'percentunit', decimals: 0, warn: 0.1, expr: 'max(retrystorm:abandoned_share:rate5m)',
      description: 'Of what the service completes, the share whose client had left. The alert AbandonedWork fires above 10 %.' },
    { stat: 'Wasted work', unit: 'percentunit', decimals: 0, warn: 0.1, expr: 'max(retrystorm:wasted_work:rate5m)',
      description: "The share of the workers' time spent for clients that had left." },
    { stat: 'Amplification', unit: 'none', decimals: 2, warn: 1.5, expr: 'max(retrystorm:amplification:rate5m)',
      description: 'Attempts for each request offered; 1 without retries. The alert Amplification fires above 1.5.' },
    { stat: 'Budget burn', unit: 'none', decimals: 1, warn: 14.4, expr: 'max(retrystorm:budget_burn:rate1h)',
      description: 'How fast the error budget burns over the long window (1 h before scaling); 1 uses it up exactly at the end of its period. The alert fires above 14.4, or above 0.9 / ratio if the objective allows so much that this is less.' },
  ] },

  { row: "The client's view beside the service's view of the same moments", panels: [
    { client: 'offered and goodput', unit: 'reqps',
      description: 'What users ask for, the attempts made for it (retries included), and what succeeds. The gap between offered and goodput is the outage.',
      lines: [['offered', grey, rate('requests_offered_total'), 'dash'],
              ['attempts', amber, rate('attempts_total')],
              ['goodput', blue, rate('requests_total{outcome="succeeded"}')]] },
    { service: 'throughput and refusals', unit: 'reqps',
      description: 'What became of the arrivals. Completions hold near the ceiling (workers / work) all through a collapse: from here alone the service looks healthy.',
      lines: [['completed', green, rate('completed_total')],
              ['refused', amber, rate('arrivals_total{disposition="refused"}')],
              ['skipped', purple, rate('arrivals_total{disposition="skipped"}')]] },

    { client: 'how attempts end', unit: 'reqps',
      description: 'Attempts by outcome, those that occurred. rejected is a 503 or 429 in time; timed_out means that the client left without an answer.',
      lines: [['{{outcome}}', null, occurred('outcome', 'attempts_total')]],
      named: { succeeded: blue, rejected: amber, timed_out: vermilion, failed_status: purple, connect_error: sky, io_error: grey, unfinished: green } },
    { service: 'abandoned work', unit: 'reqps', fill: 20,
      description: 'Completions by whether the client was still there. Abandoned: it had left, as seen when the reply was due or at the next use of its socket. This one counter shows the collapse.',
      lines: [['completed', green, rate('completed_total'), 'dash'],
              ['abandoned', vermilion, `${rate('abandoned_seen_total')} + ${rate('seen_later_total')}`]] },

    { client: 'retries', unit: 'reqps',
      description: 'Attempts by their number: 0 is the first one, the others are retries. Above the line of the first attempts, everything is amplification.',
      lines: [['attempt {{attempt}}', null, occurred('attempt', 'attempts_total')]],
      named: { 'attempt 0': blue, 'attempt 1': amber, 'attempt 2': vermilion, 'attempt 3+': purple } },
    { service: 'queue and useful queue', unit: 'short', decimals: 0, fill: 20,
      description: "Requests waiting, the places there are, and the useful queue: places whose occupants can still be served within the client's timeout. Between the two, the service works for nobody.",
      lines: [['waiting', blue, 'sum(retrystorm_queue_length)'],
              ['places', grey, 'sum(retrystorm_queue_places)', 'dash'],
              ['useful queue', vermilion, 'sum(retrystorm_useful_queue)', 'dash']] },

    { client: 'attempts in flight', unit: 'short', decimals: 0, fill: 20,
      description: 'Attempts sent and not yet ended: those whose client waits at this moment. What is in flight in a collapse is what the timeout lets pile up.',
      lines: [['in flight', blue, 'sum(retrystorm_in_flight)']] },
    { service: 'longest wait against timeout', unit: 's',
      description: "How long the request that has waited longest in the queue has been waiting. Where that and the time in a worker exceed the client's timeout, the work will be for nobody: this shows before any completion does.",
      lines: [['longest wait', green, 'max(retrystorm_queue_longest_wait_seconds)'], timeout] },

    { client: 'latency against timeout', unit: 's',
      description: 'Latency of attempts that succeeded, from their send, beside the timeout. A gap means that nothing succeeded: the latency of what fails is not shown.',
      lines: [['median', blue, quantile(0.5, 'attempt_latency_seconds')],
              ['p99', sky, quantile(0.99, 'attempt_latency_seconds')],
              timeout] },
    { service: 'sojourn against timeout', unit: 's',
      description: "From arrival to the end of the work, of completed requests, beside the client's timeout; and the time in a worker, which stays what it was all through a collapse.",
      lines: [['sojourn, median', green, quantile(0.5, 'sojourn_seconds')],
              ['sojourn, p99', amber, quantile(0.99, 'sojourn_seconds')],
              ['time in a worker, median', purple, quantile(0.5, 'work_seconds')],
              timeout] },

    { client: 'error budget burn', unit: 'none',
      description: 'How many times faster than allowed the error budget burns, over three windows (named before scaling). 1 uses the budget up exactly at the end of its period.',
      lines: [['over 5 min', vermilion, 'max(retrystorm:budget_burn:rate5m)'],
              ['over 1 h', amber, 'max(retrystorm:budget_burn:rate1h)'],
              ['over 6 h', blue, 'max(retrystorm:budget_burn:rate6h)']] },
    { service: "workers' time", unit: 'short', decimals: 0,
      description: "How many workers' worth of time went into requests whose client was still there (useful) and into those whose client had left (abandoned), beside the workers that hold a request.",
      lines: [['busy', grey, 'sum(retrystorm_workers_busy)', 'dash'],
              ['useful', blue, rate('worker_seconds_total{use="useful"}')],
              ['abandoned', vermilion, rate('worker_seconds_total{use="abandoned"}')]] },
  ] },

  { row: 'Can the measurement be trusted?', panels: [
    { client: 'lateness of the generator', unit: 's',
      description: 'How late first attempts left, against their schedule. Above 1 ms at p99 the load was not what was asked for.',
      lines: [['median', blue, quantile(0.5, 'send_lag_seconds')],
              ['p99', amber, quantile(0.99, 'send_lag_seconds')]] },
    { both: 'duration of scrapes', unit: 's',
      description: 'How long the metrics endpoints took to answer Prometheus.',
      lines: [['{{job}}', null, 'max by (job) (scrape_duration_seconds{job=~"client|service"})']],
      named: { client: blue, service: green } },
  ] },
];

export const thresholdColours = { below: blue, above: vermilion };
