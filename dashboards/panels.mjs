// What the dashboard shows: rows of panels, of numbers (stat) or of lines over time. make.mjs lays them out and
// writes retrystorm.json, which Grafana and the live page read.
//   client, service or both: the title, behind the side that it is seen from. The client's panels stand on the
//     left, beside the panel that follows; one that is left alone takes the whole width.
//   lines: each [legend, colour, expression], and a dash behind what may lie on another line. `named` are the
//     colours (and dashes) of the series that one expression with a label in its legend returns.
//   above, below: from where on a number is an alarm. also: what else stands in its tile.
// A colour means one thing, wherever it stands: see live/colours.mjs.
import { meanings } from './live/colours.mjs';

const { useful, served, refused, vain, load, error, limit, again1, again2, again3 } =
  Object.fromEntries(Object.entries(meanings).map(([name, { dark }]) => [name, dark]));

const rate = (metric) => `sum(rate(retrystorm_${metric}[$__rate_interval]))`;
const quantile = (q, metric) => `histogram_quantile(${q}, sum by (le) (rate(retrystorm_${metric}_bucket[$__rate_interval])))`;
// By a label, those that occurred.
const occurred = (label, metric) =>
  `sum by (${label}) (rate(retrystorm_${metric}[$__rate_interval])) and sum by (${label}) (retrystorm_${metric}) > 0`;
const timeout = ["client's timeout", limit, 'max(retrystorm_client_timeout_seconds)', 'dash'];
// What the workers can complete a second, by the time that work takes them.
const ceiling = ['ceiling', limit,
                 'sum(retrystorm_workers) * sum(rate(retrystorm_work_seconds_count[$__rate_interval])) / (sum(rate(retrystorm_work_seconds_sum[$__rate_interval])) > 0)', 'dots'];

export const rows = [
  { row: 'At a glance: what clients get, and what the service says of itself', panels: [
    { stat: 'Goodput', unit: 'reqps', decimals: 0, expr: 'sum(retrystorm:goodput:rate5m)',
      also: [{ name: 'of what is offered', unit: 'percentunit', decimals: 0, below: 0.9, noValue: 'nothing is offered',
               expr: `(${rate('requests_total{outcome="succeeded"}')} or vector(0)) / (${rate('requests_offered_total')} > 0)` }],
      description: "Requests that succeeded, a second, and as a share of those offered: below 90 % it is an alarm. The client's view." },
    { stat: 'Throughput', unit: 'reqps', decimals: 0, expr: 'sum(retrystorm:throughput:rate5m)',
      description: "Requests whose work was done, a second, whoever they were for. The service's view: it looks healthy in a collapse." },
    { stat: 'Abandoned share', unit: 'percentunit', decimals: 0, above: 0.1, expr: 'max(retrystorm:abandoned_share:rate5m)',
      description: 'Of what the service completes, the share whose client had left. The alert AbandonedWork fires above 10 %.' },
    { stat: 'Queue', unit: 'short', decimals: 0, expr: 'sum(retrystorm_queue_length)',
      also: [{ name: 'useful', unit: 'short', decimals: 0, expr: 'sum(retrystorm_useful_queue)', noValue: 'no useful queue: whoever is overtaken may wait for ever' },
             { name: 'beyond it', unit: 'short', decimals: 0, above: 1, expr: 'clamp_min(sum(retrystorm_queue_length) - sum(retrystorm_useful_queue), 0)', noValue: '' }],
      description: "Requests waiting, and the places whose occupants can still be served within the client's timeout. More than those is an alarm: QueueBeyondUseful fires." },
    { stat: 'Amplification', unit: 'none', decimals: 2, above: 1.5, expr: 'max(retrystorm:amplification:rate5m)',
      description: 'Attempts for each request offered; 1 without retries. The alert Amplification fires above 1.5.' },
    { stat: 'Budget burn', unit: 'none', decimals: 1, above: 14.4, expr: 'max(retrystorm:budget_burn:rate1h)',
      description: 'How fast the error budget burns over the long window (1 h before scaling); 1 uses it up exactly at the end of its period. The alert fires above 14.4, or above 0.9 / ratio if the objective allows so much that this is less.' },
  ] },

  { row: "The client's view beside the service's view of the same moments", panels: [
    { client: 'offered and goodput', unit: 'reqps',
      description: 'What users ask for, the attempts made for it (retries included), and what succeeds. The gap between offered and goodput is the outage.',
      lines: [['attempts', load, rate('attempts_total')],
              ['goodput', useful, rate('requests_total{outcome="succeeded"}')],
              ['offered', limit, rate('requests_offered_total'), 'dash'],
              ceiling] },
    { service: 'throughput and refusals', unit: 'reqps',
      description: 'What became of the arrivals. Completions hold near the ceiling (workers / work) all through a collapse: from here alone the service looks healthy.',
      lines: [['completed', served, rate('completed_total')],
              ['refused', refused, rate('arrivals_total{disposition="refused"}')],
              ['skipped', vain, rate('arrivals_total{disposition="skipped"}'), 'dash'],
              ceiling] },

    { client: 'how attempts end', unit: 'reqps',
      description: 'Attempts by outcome, those that occurred. rejected is a 503 or 429 in time; timed_out means that the client left without an answer.',
      lines: [['{{outcome}}', null, occurred('outcome', 'attempts_total')]],
      named: { succeeded: [useful], rejected: [refused], timed_out: [vain], failed_status: [error], connect_error: [error, 'dash'],
               io_error: [error, 'dots'], unfinished: [load, 'dash'] } },
    { service: 'abandoned work', unit: 'reqps', fill: 20,
      description: 'Completions by whether the client was still there. Abandoned: it had left, as seen when the reply was due or at the next use of its socket. This one counter shows the collapse.',
      lines: [['abandoned', vain, `${rate('abandoned_seen_total')} + ${rate('seen_later_total')}`],
              ['completed', served, rate('completed_total'), 'dash']] },

    { client: 'retries', unit: 'reqps',
      description: 'Attempts by their number: 0 is the first one, the others are retries. Above the line of the first attempts, everything is amplification.',
      lines: [['attempt {{attempt}}', null, occurred('attempt', 'attempts_total')]],
      named: { 'attempt 0': [load], 'attempt 1': [again1, 'dash'], 'attempt 2': [again2, 'dots'], 'attempt 3+': [again3, 'far'] } },
    { service: 'queue and useful queue', unit: 'short', decimals: 0, fill: 20,
      description: "Requests waiting, the places there are, and the useful queue: places whose occupants can still be served within the client's timeout. Between the two, the service works for nobody.",
      lines: [['waiting', served, 'sum(retrystorm_queue_length)'],
              ['places', limit, 'sum(retrystorm_queue_places)', 'dash'],
              ['useful queue', useful, 'sum(retrystorm_useful_queue)', 'dash']] },

    { client: 'attempts in flight', unit: 'short', decimals: 0, fill: 20,
      description: 'Attempts sent and not yet ended: those whose client waits at this moment. What is in flight in a collapse is what the timeout lets pile up.',
      lines: [['in flight', load, 'sum(retrystorm_in_flight)']] },
    { service: 'longest wait against timeout', unit: 's',
      description: "How long the request that has waited longest in the queue has been waiting. Where that and the time in a worker exceed the client's timeout, the work will be for nobody: this shows before any completion does.",
      lines: [['longest wait', served, 'max(retrystorm_queue_longest_wait_seconds)'], timeout] },

    { client: 'latency against timeout', unit: 's',
      description: 'Latency of attempts that succeeded, from their send, beside the timeout. A gap means that nothing succeeded: the latency of what fails is not shown.',
      lines: [['median', useful, quantile(0.5, 'attempt_latency_seconds')],
              ['p99', useful, quantile(0.99, 'attempt_latency_seconds'), 'dash'],
              timeout] },
    { service: 'sojourn against timeout', unit: 's',
      description: "From arrival to the end of the work, of completed requests, beside the client's timeout; and the time in a worker, which stays what it was all through a collapse.",
      lines: [['sojourn, median', served, quantile(0.5, 'sojourn_seconds')],
              ['sojourn, p99', served, quantile(0.99, 'sojourn_seconds'), 'dash'],
              ['time in a worker, median', served, quantile(0.5, 'work_seconds'), 'dots'],
              timeout] },

    { client: 'error budget burn', unit: 'none',
      description: 'How many times faster than allowed the error budget burns, over three windows (named before scaling). 1 uses the budget up exactly at the end of its period.',
      lines: [['over 5 min', vain, 'max(retrystorm:budget_burn:rate5m)'],
              ['over 1 h', vain, 'max(retrystorm:budget_burn:rate1h)', 'dash'],
              ['over 6 h', vain, 'max(retrystorm:budget_burn:rate6h)', 'dots']] },
    { service: "workers' time", unit: 'short', decimals: 0,
      description: "How many workers' worth of time went into requests whose client was still there (useful) and into those whose client had left (abandoned), beside the workers that hold a request.",
      lines: [['useful', useful, rate('worker_seconds_total{use="useful"}')],
              ['abandoned', vain, rate('worker_seconds_total{use="abandoned"}')],
              ['busy', served, 'sum(retrystorm_workers_busy)', 'dash'],
              ['workers', limit, 'sum(retrystorm_workers)', 'dots']] },
  ] },

  // The limits are those of a run unless it was told others; the live page has the run's own.
  { row: 'Can the measurement be trusted?', panels: [
    { stat: 'Send lag, p99', unit: 's', above: 0.001, expr: quantile(0.99, 'send_lag_seconds'),
      also: [{ name: 'at most', unit: 's', expr: 'vector(0.001)' }],
      description: 'How late 99 % of first attempts left, at most, against their schedule. Beyond the limit the load was not what was asked for.' },
    { stat: 'Not sent', unit: 'percentunit', decimals: 1, above: 0.000001,
      expr: `(${rate('requests_total{outcome="unsent",kind="shortage"}')} or vector(0)) / (${rate('requests_offered_total')} > 0)`,
      also: [{ name: 'at most', unit: 'percentunit', expr: 'vector(0)' }],
      description: 'Of the requests offered, those that the generator could not send because it ran short of something. None may be missing.' },
    { stat: 'Slowest scrape', unit: 's', above: 0.25, expr: 'max(scrape_duration_seconds{job=~"client|service"})',
      also: [{ name: 'at most', unit: 's', expr: 'vector(0.25)' }],
      description: 'How long a metrics endpoint took to answer Prometheus. A scrape that takes longer than the interval is missed.' },
    { client: 'lateness of the generator', unit: 's',
      description: 'How late first attempts left, against their schedule. Above 1 ms at p99 the load was not what was asked for.',
      lines: [['median', load, quantile(0.5, 'send_lag_seconds')],
              ['p99', load, quantile(0.99, 'send_lag_seconds'), 'dash'],
              ['limit of p99', limit, 'vector(0.001)', 'dots']] },
    { both: 'duration of scrapes', unit: 's',
      description: 'How long the metrics endpoints took to answer Prometheus; a scrape may take 250 ms.',
      lines: [['{{job}}', null, 'max by (job) (scrape_duration_seconds{job=~"client|service"})']],
      named: { client: [load, 'dash'], service: [served] } },
    { client: 'requests not sent', unit: 'reqps',
      description: 'Requests that were offered and never left, by the kind of reason: a shortage of the generator itself, which costs trust, or its policy (a budget, a limit, a breaker).',
      lines: [['shortage', error, rate('requests_total{outcome="unsent",kind="shortage"}')],
              ['policy', refused, rate('requests_total{outcome="unsent",kind="policy"}'), 'dash']] },
    { both: 'connections of the service', unit: 'short', decimals: 0,
      description: 'Open connections. Where they reach a limit of the machine, what is measured is that limit.',
      lines: [['open', served, 'sum(retrystorm_connections)']] },
  ] },
];

export const thresholdColours = { fine: 'text', alarm: vain };
