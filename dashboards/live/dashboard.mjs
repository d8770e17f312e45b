// What the page knows of Grafana's dashboard format: which queries a panel makes, how its series are
// named, coloured and dashed, how its numbers are written. No browser and no network here, so that
// the tests use the same code.

import { meanings } from './colours.mjs';

// Grafana's own rule for $__rate_interval, in seconds: room for four scrapes.
export function rateInterval(scrapeInterval, step) {
  return Math.max(step + scrapeInterval, 4 * scrapeInterval);
}

// A duration as PromQL writes it.
export function promDuration(seconds) {
  return `${Math.round(seconds * 1000)}ms`;
}

// The expression with Grafana's variables filled in.
export function expression(expr, { scrapeInterval, step }) {
  return expr
    .replaceAll('$__rate_interval', promDuration(rateInterval(scrapeInterval, step)))
    .replaceAll('$__interval', promDuration(step));
}

// The seconds between the samples of some series, as a range of them tells: the median of the longest; null for
// less than two samples.
export function intervalOf(series) {
  const between = series.map(({ values = [] }) => {
    const gaps = values.slice(1).map(([time], i) => time - values[i][0]).sort((a, b) => a - b);
    return gaps.length > 0 ? Math.round(gaps[gaps.length >> 1] * 100) / 100 : null;
  }).filter((gap) => gap > 0);
  return between.length > 0 ? Math.max(...between) : null;
}

// The same with the run's own limits in place of the usual ones, in seconds: {sendLag, scrape}.
export function limited(expr, limits) {
  return expr.replaceAll('vector(0.001)', `vector(${limits?.sendLag ?? 0.001})`).replaceAll('vector(0.25)', `vector(${limits?.scrape ?? 0.25})`);
}

// The window that a number of the dashboard is taken over, in seconds: named by its rule before scaling, or the
// rate interval; 0 for what needs none.
export function windowOf(expr, { ruleScale, scrapeInterval, step }) {
  const named = /:rate(\d+)m\b/.exec(expr);
  if (named) return Number(named[1]) * 60 / ruleScale;
  return expr.includes('$__rate_interval') ? rateInterval(scrapeInterval, step) : 0;
}

// Returns something while requests are offered and none was yet, so many seconds ago.
export function fillingQuery(seconds) {
  return `sum(retrystorm_requests_offered_total) unless sum(retrystorm_requests_offered_total offset ${promDuration(seconds)}) > 0`;
}

// The panels that draw something, in reading order.
export function drawnPanels(dashboard) {
  return dashboard.panels.filter((panel) => panel.targets?.length > 0);
}

// "attempt {{attempt}}" with the labels of a series.
export function seriesName(target, labels) {
  return target.legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => labels[label] ?? '');
}

// How a series of that name is drawn.
export function seriesStyle(panel, name, index) {
  const custom = panel.fieldConfig.defaults.custom ?? {};
  const fallback = Object.values(meanings)[index % Object.keys(meanings).length].dark;
  const style = { color: fallback, dash: null,
                  width: custom.lineWidth ?? 1, fill: (custom.fillOpacity ?? 0) / 100 };
  for (const { matcher, properties } of panel.fieldConfig.overrides) {
    if (matcher.id !== 'byName' || matcher.options !== name) continue;
    for (const { id, value } of properties) {
      if (id === 'color') style.color = value.fixedColor;
      if (id === 'custom.lineStyle') style.dash = value.dash;
      if (id === 'custom.fillOpacity') style.fill = value / 100;
    }
  }
  return style;
}

// How the numbers of a tile's targets are written: the first by the panel's defaults, the others by their
// overrides. {name, unit, decimals, noValue, thresholds}
export function numbersOf(panel) {
  const { defaults, overrides } = panel.fieldConfig;
  return panel.targets.map(({ legendFormat: name }, i) => {
    const own = Object.fromEntries((overrides.find(({ matcher }) => matcher.options === name)?.properties ?? []).map(({ id, value }) => [id, value]));
    return i === 0 ? { name, ...defaults } : { name, decimals: undefined, noValue: 'no data', ...own };
  });
}

// Whether a value is an alarm by its thresholds.
export function isAlarm({ thresholds }, value) {
  if (value === null) return false;
  const reached = (thresholds?.steps ?? []).filter((step) => step.value === null || value >= step.value);
  return reached.length > 0 && reached.at(-1).color !== 'text';
}

// What a tile says: its number, what else stands in it, whether it is an alarm. `values`: of its targets, null for
// none. A companion called "at most" is the limit of the number; one with a threshold above which it is an alarm
// is only worth a word when it is one.
export function tileOf(panel, values) {
  const [main, ...also] = numbersOf(panel).map((number, i) => ({ ...number, value: values[i] ?? null }));
  const text = ({ value, unit, decimals, noValue }) => (value === null ? noValue : format(value, unit, decimals));
  const limit = also.find(({ name }) => name === 'at most');
  const alarms = also.filter((one) => isAlarm(one, one.value));
  const alarm = (limit ? main.value !== null && limit.value !== null && main.value > limit.value : isAlarm(main, main.value)) || alarms.length > 0;
  const notes = also.filter((one) => alarms.includes(one) || !one.thresholds?.steps.some(({ value, color }) => value !== null && color !== 'text'))
    .map((one) => (one.value === null ? (main.value === null ? '' : text(one)) : one.name.startsWith('at ') ? `${one.name} ${text(one)}` : `${text(one)} ${one.name}`))
    .filter((note) => note !== '');
  return { text: text(main), none: main.value === null, notes, alarm };
}

// A number that Prometheus gave as text; null for what cannot be drawn.
export function numberOf(text) {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function rounded(value, decimals) {
  return value.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

// As many decimals as three figures need.
function threeFigures(value) {
  const size = Math.abs(value);
  return size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
}

// The same of a rate, which keeps one below 1,000: 228.6/s is not 229.
function rateFigures(value) {
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : Math.max(1, threeFigures(value));
}

// As many decimals as a step between ticks has, at most 4.
function decimalsOf(step) {
  const whole = (d) => Math.abs(step * 10 ** d - Math.round(step * 10 ** d)) < 1e-6 * 10 ** d;
  return [0, 1, 2, 3].find(whole) ?? 4;
}

const seconds = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']];

// A value with its unit, as Grafana would write it. For an axis: as short as the step between its
// ticks allows.
export function format(value, unit, decimals, tickStep) {
  if (value === null || value === undefined) return '-';
  const digits = (v, step, figures = threeFigures) => {
    if (step !== undefined) return decimalsOf(step);
    return decimals ?? figures(v);
  };
  switch (unit) {
    case 's': {
      const [scale, name] = seconds.find(([s]) => (tickStep ? tickStep >= s / 4 : Math.abs(value) >= s)) ?? seconds[value === 0 ? 1 : 2];
      return `${rounded(value / scale, digits(value / scale, tickStep && tickStep / scale))} ${name}`;
    }
    case 'percentunit':
      return `${rounded(value * 100, digits(value * 100, tickStep && tickStep * 100))} %`;
    case 'reqps':
      return `${rounded(value, digits(value, tickStep, rateFigures))}/s`;
    default:
      return rounded(value, digits(value, tickStep));
  }
}
