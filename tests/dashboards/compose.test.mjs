// The files for people who have Docker, as far as they can be checked without it: as YAML, against the
// files they name, and by Prometheus' and Alertmanager's own tools.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installed } from '../browser/browser.mjs';
import { dashboard, root, run, text } from './support.mjs';

const yaml = async (path) => installed('yaml').parse(await text(path), { strict: true });
const compose = await yaml('dashboards/compose.yaml');
const { prometheus, alertmanager, grafana } = compose.services;
// "./a:/b:ro" -> [a on this machine, b in the container]; a variable stands for its default.
const mounts = (service) => service.volumes.map((volume) => {
  const [from, to, mode] = volume.replace(/\$\{\w+:-([^}]*)\}/, '$1').split(':');
  assert.equal(mode, 'ro', volume);
  return [join(root, 'dashboards', from), to];
});
const mounted = (service, path) => mounts(service).find(([, to]) => to === path)?.[0];

test('the containers mount files that exist', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    for (const [from] of mounts(service)) assert.ok(existsSync(from), `${name}: ${from}`);
    assert.match(service.image, /:v?\d+\.\d+\.\d+$/, name);  // a version, not "latest"
  }
});

test('the containers listen on loopback alone', () => {
  for (const service of [prometheus, alertmanager, grafana]) {
    assert.equal(service.network_mode, 'host');
    assert.equal(service.ports, undefined);
  }
  assert.ok(prometheus.command.includes('--web.listen-address=127.0.0.1:9090'));
  assert.ok(alertmanager.command.includes('--web.listen-address=127.0.0.1:9093'));
  assert.ok(alertmanager.command.includes('--cluster.listen-address='));
  assert.equal(grafana.environment.GF_SERVER_HTTP_ADDR, '127.0.0.1');
});

test('Prometheus gets the rules and the page of the tree', async () => {
  const config = /--config.file=(\S+)/.exec(prometheus.command.join(' '))[1];
  assert.equal(mounted(prometheus, config), join(root, 'dashboards/prometheus.yaml'));
  assert.equal(mounted(prometheus, '/etc/prometheus/rules'), join(root, 'dashboards/rules'));
  assert.equal(mounted(prometheus, /--web.user-assets=(\S+)/.exec(prometheus.command.join(' '))[1]), join(root, 'dashboards/'));
  const { code, out, errors } = await run('promtool', 'check', 'config', join(root, 'dashboards/prometheus.yaml'));
  assert.equal(code, 0, out + errors);
  assert.match(out, /1 rule files found/);
});

test('Alertmanager gets a configuration that its tool accepts', async () => {
  const config = /--config.file=(\S+)/.exec(alertmanager.command.join(' '))[1];
  assert.equal(mounted(alertmanager, config), join(root, 'dashboards/alertmanager.yaml'));
  const { code, out, errors } = await run('amtool', 'check-config', join(root, 'dashboards/alertmanager.yaml'));
  assert.equal(code, 0, out + errors);
  const { alerting } = await yaml('dashboards/prometheus.yaml');
  assert.deepEqual(alerting.alertmanagers[0].static_configs[0].targets, ['127.0.0.1:9093']);
});

test('Grafana is provisioned with the dashboard of the tree', async () => {
  const { providers: [provider] } = await yaml('dashboards/grafana/dashboards.yaml');
  assert.equal(mounted(grafana, `${provider.options.path}/retrystorm.json`), join(root, 'dashboards/retrystorm.json'));
  assert.ok(mounted(grafana, '/etc/grafana/provisioning/dashboards/retrystorm.yaml').endsWith('grafana/dashboards.yaml'));
  const { datasources: [source] } = await yaml('dashboards/grafana/datasources.yaml');
  assert.equal(source.url, 'http://127.0.0.1:9090');
  const { global } = await yaml('dashboards/prometheus.yaml');
  assert.equal(source.jsonData.timeInterval, global.scrape_interval);
  assert.equal(source.jsonData.httpMethod, 'GET');  // all that the page server of a run answers
  assert.equal(dashboard.uid, 'retrystorm');  // the address that compose.yaml tells
});

// The live page, the rules and the run's own Prometheus know the processes by these names.
test('the jobs have the names that the dashboard uses', async () => {
  const { scrape_configs: jobs } = await yaml('dashboards/prometheus.yaml');
  assert.deepEqual(jobs.map(({ job_name: name }) => name), ['service', 'client']);
  const code = await text('experiments/run/prometheus/server.cpp');
  for (const { job_name: name } of jobs) assert.match(code, new RegExp(`job_name: ${name}\\\\n`));
  assert.match(await text('dashboards/retrystorm.json'), /job=~\\"client\|service\\"/);
});
