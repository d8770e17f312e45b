// A real run with its Prometheus, beside a real Alertmanager: started, waited for, stopped.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, missing, retrystorm, root } from './support.mjs';

// A program that runs on; its output is collected.
export class Running {
  constructor(program, ...args) {
    this.out = '';
    this.errors = '';
    this.process = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout.on('data', (data) => { this.out += data; });
    this.process.stderr.on('data', (data) => { this.errors += data; });
    this.ended = new Promise((done) => {
      this.process.on('error', (error) => {
        this.errors += `${program}: ${error.code === 'ENOENT' ? missing : error.message}`;
        this.over = true;
        done(null);
      });
      this.process.on('close', (code) => { this.code = code; this.over = true; done(code); });
    });
  }
  // The first match in what it has written so far.
  async says(pattern, seconds) {
    return eventually(`${this.process.spawnfile} says ${pattern}`, () => {
      const match = pattern.exec(this.out) ?? pattern.exec(this.errors);
      if (!match && this.over) throw new Error(`ended with ${this.code}: ${this.errors}`);
      return match;
    }, seconds);
  }
  async stop(signal = 'SIGINT') {
    this.process.kill(signal);
    return this.ended;
  }
}

export async function startAlertmanager(directory) {
  const running = new Running('prometheus-alertmanager', `--config.file=${join(root, 'dashboards/alertmanager.yaml')}`,
                              `--storage.path=${directory}`, '--web.listen-address=127.0.0.1:0', '--cluster.listen-address=');
  const [, address] = await running.says(/Listening on.*address=(127\.0\.0\.1:\d+)/, 30);
  return { running, address };
}

// The run of storm.toml; it stays after its end. `directory` must not exist yet.
export async function startRun(directory, alertmanager) {
  const running = new Running(retrystorm, 'run', join(root, 'tests/dashboards/storm.toml'), '--stay', '--more-tries', '0',
                              '--alertmanager', alertmanager, '--out', directory);
  const [, page] = await running.says(/live page: (\S+)/, 90);
  return { running, page, base: page.replace('/user/live/', '') };
}

// What the run has written of itself.
export async function reportOf(directory) {
  return JSON.parse(await readFile(join(directory, 'report.json'), 'utf8'));
}
export async function armsOf(directory) {
  const { tries } = JSON.parse(await readFile(join(directory, 'prometheus/page/run.json'), 'utf8'));
  return Object.fromEntries(tries.map((t) => [t.arm, t]));
}

// Questions to an API, and what its answers are about.
export async function get(url, parameters = {}) {
  const response = await fetch(`${url}?${new URLSearchParams(parameters)}`);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
export const instant = async (base, query, time) => (await get(`${base}/api/v1/query`, { query, time })).data.result;
export const range = async (base, query, start, end, step) =>
  (await get(`${base}/api/v1/query_range`, { query, start, end, step })).data.result;
