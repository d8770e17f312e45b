// Random numbers by seed: the same draws wherever the campaign runs.
export class Dice {
  // A stream for each thing that is drawn.
  constructor(seed, number, what) {
    this.state = 2166136261;
    for (const c of `${seed}/${number}/${what}`) {
      this.state = Math.imul(this.state ^ c.charCodeAt(0), 16777619) >>> 0;
    }
    // Neighbouring numbers differ in every bit (the last step of MurmurHash3).
    this.state = Math.imul(this.state ^ (this.state >>> 16), 0x85EBCA6B);
    this.state = Math.imul(this.state ^ (this.state >>> 13), 0xC2B2AE35);
    this.state = (this.state ^ (this.state >>> 16)) >>> 0;
  }

  // In [0, 1): mulberry32.
  uniform() {
    this.state = (this.state + 0x6D2B79F5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  oneOf(list) { return list[Math.floor(this.uniform() * list.length)]; }
  // Whole numbers, log-uniform.
  logBetween(low, high) { return Math.round(low * (high / low) ** this.uniform()); }
}
