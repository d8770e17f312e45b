// What the page knows of Grafana's dashboard format: which queries a panel makes, how its series are
// named, coloured and dashed, how its numbers are written. No browser and no network here, so that
// the tests use the same code.

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
  const style = { color: fallbackColors[index % fallbackColors.length], dash: null,
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

const fallbackColors = ['#2b83c6', '#e09a00', '#12976f', '#dd5a12', '#bb6aa8', '#868e9c'];

// The colour that a value has by the panel's thresholds.
export function thresholdColor(panel, value) {
  const steps = panel.fieldConfig.defaults.thresholds?.steps ?? [];
  let color = null;
  for (const step of steps) {
    if (step.value === null || value >= step.value) color = step.color;
  }
  return color;
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
  const digits = (v, step) => {
    if (step !== undefined) return decimalsOf(step);
    return decimals ?? threeFigures(v);
  };
  switch (unit) {
    case 's': {
      const [scale, name] = seconds.find(([s]) => (tickStep ? tickStep >= s / 4 : Math.abs(value) >= s)) ?? seconds[value === 0 ? 1 : 2];
      return `${rounded(value / scale, digits(value / scale, tickStep && tickStep / scale))} ${name}`;
    }
    case 'percentunit':
      return `${rounded(value * 100, digits(value * 100, tickStep && tickStep * 100))} %`;
    case 'reqps':
      return `${rounded(value, digits(value, tickStep))}/s`;
    default:
      return rounded(value, digits(value, tickStep));
  }
}
