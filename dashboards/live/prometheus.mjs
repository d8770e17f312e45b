// Asks Prometheus' HTTP API. Knows nothing of panels.

export class Prometheus {
  // `base`: where Prometheus is, without a slash at the end.
  constructor(base) {
    this.base = base;
  }

  async #get(path, parameters) {
    const response = await fetch(`${this.base}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const answer = await response.json();
    if (answer.status !== 'success') throw new Error(answer.error);
    return answer.data;
  }

  // Seconds since 1970 by Prometheus' clock: a phone's may be off.
  async now() {
    const data = await this.#get('query', { query: 'time()' });
    return Number(data.result[1]);
  }

  // [{metric, values: [[time, text]]}] in [from, to].
  async range(query, from, to, step) {
    const data = await this.#get('query_range', { query, start: from, end: to, step });
    return data.result;
  }

  // [{metric, value: [time, text]}] at `time`, or now.
  async instant(query, time) {
    const data = await this.#get('query', { query, ...(time !== undefined && { time }) });
    return data.resultType === 'scalar' ? [{ metric: {}, value: data.result }] : data.result;
  }
}
