// The colours of lines, one for each meaning, as light as a dark ground needs and as dark as a light one does:
// each has a contrast of at least 4.5 : 1 against its panel (WCAG 2, 1.4.3). The dashboard's file has the first,
// for Grafana is dark unless told otherwise; the page takes what its ground needs.
export const meanings = {
  useful: { dark: '#6bb6f5', light: '#0b62a8', of: 'what reached a client in time' },
  served: { dark: '#3cc99b', light: '#0f7048', of: "the service's work, whoever it was for" },
  refused: { dark: '#e8b339', light: '#8a6100', of: 'what was turned away' },
  vain: { dark: '#ff8a4c', light: '#c2410c', of: 'what nobody waited for any more, and alarms' },
  load: { dark: '#b99be0', light: '#7a4fa3', of: "the clients' attempts" },
  error: { dark: '#ff7eb6', light: '#a3195b', of: 'what broke' },
  limit: { dark: '#a3aeb9', light: '#56616c', of: 'what is compared with: limits, places, ceilings, what was asked for' },
  again1: { dark: '#4fd0e0', light: '#006d80', of: 'first retries' },
  again2: { dark: '#c3d354', light: '#4d5a00', of: 'second retries' },
  again3: { dark: '#d3a17a', light: '#7d4523', of: 'third and later retries' },
};

// A colour of the dashboard as a ground needs it; one that is not ours stays as it is.
export function onGround(colour, dark) {
  const known = Object.values(meanings).find((one) => one.dark === colour);
  return known ? known[dark ? 'dark' : 'light'] : colour;
}
