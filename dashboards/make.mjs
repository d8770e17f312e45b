// Makes retrystorm.json, the dashboard that Grafana and the live page read, of the panels in panels.mjs: places on
// the grid, ids, letters of the queries, and what all panels have in common.
//   node dashboards/make.mjs            a test says when it has to be run
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rows, thresholdColours } from './panels.mjs';

export const file = fileURLToPath(new URL('retrystorm.json', import.meta.url));

const width = 24;  // Grafana's grid
const datasource = { type: 'prometheus', uid: '${datasource}' };

const targets = (lines, when) => lines.map(([legendFormat, , expr], i) =>
  ({ datasource, editorMode: 'code', expr, legendFormat, ...when, refId: String.fromCharCode(65 + i) }));

// Which numbers are an alarm: those from `above` on, those below `below`, or none.
function thresholds({ above, below }) {
  const { fine, alarm } = thresholdColours;
  const steps = [{ color: below === undefined ? fine : alarm, value: null }];
  if (below !== undefined) steps.push({ color: fine, value: below });
  if (above !== undefined) steps.push({ color: alarm, value: above });
  return { mode: 'absolute', steps };
}

function stat({ stat: title, description, also = [], ...main }) {
  const asked = [[title, null, main.expr], ...also.map(({ name, expr }) => [name, null, expr])];
  return {
    type: 'stat', title, description, targets: targets(asked, { range: false, instant: true }),
    fieldConfig: {
      defaults: { unit: main.unit, min: 0, ...(main.decimals !== undefined && { decimals: main.decimals }), color: { mode: 'thresholds' }, thresholds: thresholds(main), noValue: 'no data' },
      overrides: also.map(({ name, unit, decimals, noValue = 'no data', ...one }) => ({
        matcher: { id: 'byName', options: name },
        properties: [{ id: 'unit', value: unit }, ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }]),
                     { id: 'thresholds', value: thresholds(one) }, { id: 'noValue', value: noValue }],
      })),
    },
    options: {
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      colorMode: 'value', graphMode: 'none', justifyMode: 'auto', textMode: also.length > 0 ? 'value_and_name' : 'value', orientation: 'auto',
    },
  };
}

// Lines that may lie on another one, told apart without their colour too.
const dashes = { dash: [8, 6], dots: [2, 5], far: [3, 12] };

function styled(name, fixedColor, dash) {
  const properties = [{ id: 'color', value: { mode: 'fixed', fixedColor } }];
  if (dash) {
    properties.push({ id: 'custom.lineStyle', value: { fill: 'dash', dash: dashes[dash] } }, { id: 'custom.fillOpacity', value: 0 });
  }
  return { matcher: { id: 'byName', options: name }, properties };
}

const sideOf = (panel) => ['client', 'service', 'both'].find((side) => side in panel);

function chart(panel) {
  const side = sideOf(panel);
  const { description, unit, decimals, lines, named = {}, fill: fillOpacity = 0 } = panel;
  return {
    type: 'timeseries', title: `${side[0].toUpperCase()}${side.slice(1)}: ${panel[side]}`, description,
    targets: targets(lines, { range: true, instant: false }),
    fieldConfig: {
      defaults: {
        unit, min: 0, ...(decimals !== undefined && { decimals }), color: { mode: 'palette-classic' },
        custom: { drawStyle: 'line', lineInterpolation: 'linear', lineWidth: 2, fillOpacity, showPoints: 'never', spanNulls: false, axisSoftMin: 0 },
      },
      overrides: [
        ...lines.filter(([, colour]) => colour).map(([legend, colour, , dash]) => styled(legend, colour, dash)),
        ...Object.entries(named).map(([name, [colour, dash]]) => styled(name, colour, dash)),
      ],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

// How wide each panel of a row is: numbers share the width; a client's chart stands left of another side's; a
// chart left alone takes all.
function widths(panels) {
  const numbers = panels.filter(({ stat: isStat }) => isStat).length;
  const all = panels.map(({ stat: isStat }) => (isStat ? width / numbers : width));
  const sides = panels.map(sideOf);
  for (let i = 1; i < panels.length; ++i) {
    if (sides[i - 1] === 'client' && sides[i] && sides[i] !== 'client') all[i - 1] = all[i] = width / 2;
  }
  return all;
}

// The panels of a dashboard with these rows.
export function laidOut(rows) {
  const panels = [];
  let y = 0;
  for (const { row, panels: specs } of rows) {
    panels.push({ id: panels.length + 1, type: 'row', title: row, collapsed: false, gridPos: { x: 0, y: y++, w: width, h: 1 }, panels: [] });
    const wide = widths(specs);
    let x = 0;
    specs.forEach((spec, i) => {
      const { type, title, description, ...rest } = spec.stat ? stat(spec) : chart(spec);
      const [w, h] = [wide[i], spec.stat ? 4 : 8];
      panels.push({ id: panels.length + 1, type, title, description, datasource, gridPos: { x, y, w, h }, ...rest });
      x = (x + w) % width;
      if (x === 0) y += h;
    });
  }
  return panels;
}

export const made = {
  uid: 'retrystorm',
  title: 'Retrystorm: a service past its limit',
  description: "The client's view beside the service's view. Made for retrystorm's own metrics; the live page of `retrystorm run --watch` draws this same file.",
  tags: ['retrystorm', 'overload'],
  editable: true,
  graphTooltip: 1,
  schemaVersion: 39,
  version: 1,
  timezone: 'browser',
  refresh: '1s',
  time: { from: 'now-1m', to: 'now' },
  timepicker: { refresh_intervals: ['1s', '5s', '30s', '1m'] },
  templating: {
    list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', current: {}, hide: 0, refresh: 1,
             regex: '', multi: false, includeAll: false, options: [] }],
  },
  annotations: {
    list: [{ name: 'Alerts', datasource, enable: true, hide: false, iconColor: '#dd5a12', expr: 'ALERTS{alertstate="firing"}',
             titleFormat: '{{alertname}}', textFormat: '{{severity}}', step: '1s' }],
  },
  links: [],
  fiscalYearStartMonth: 0,
  panels: laidOut(rows),
};

// JSON with whatever fits into a line of `columns` on one: a change of a panel is a change of few lines.
const columns = 110;
export function text(value, indent = '', before = 0) {
  const isArray = Array.isArray(value);
  if (value === null || typeof value !== 'object' || Object.keys(value).length === 0) return JSON.stringify(value);
  const flat = oneLine(value);
  if (indent.length + before + flat.length <= columns) return flat;
  const inner = `${indent}  `;
  const parts = Object.entries(value).map(([key, part]) => {
    const name = isArray ? '' : `${JSON.stringify(key)}: `;
    return `${inner}${name}${text(part, inner, name.length + 1)}`;
  });
  return `${isArray ? '[' : '{'}\n${parts.join(',\n')}\n${indent}${isArray ? ']' : '}'}`;
}
function oneLine(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${oneLine(part)}`);
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(file, `${text(made)}\n`);
