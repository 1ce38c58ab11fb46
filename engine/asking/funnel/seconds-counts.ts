import { MAX_QUARTERS, QUARTER_S } from '../../hits/hit-block';

/** The maximum distance between two hits of a day. */
const MAX_SECONDS = MAX_QUARTERS * QUARTER_S;

/** How often each number of seconds occurred, so that percentiles are exact. */
export class SecondsCounts {
  private counts = new Uint32Array(0);
  private total = 0;

  get bytes(): number {
    return this.counts.byteLength;
  }

  add(seconds: number, times = 1): void {
    if (this.total === 0) this.counts = new Uint32Array(MAX_SECONDS + 1);
    this.counts[Math.min(seconds, MAX_SECONDS)]! += times;
    this.total += times;
  }

  /** How often each number of seconds occurred, if it did. */
  entries(): [seconds: number, times: number][] {
    return Array.from(this.counts.entries()).filter(([, times]) => times > 0);
  }

  /** The least number of seconds that a share in percent does not exceed. Undefined of nothing. */
  percentile(percent: number): number | undefined {
    if (this.total === 0) return undefined;
    const rank = Math.ceil((percent * this.total) / 100);
    let [seconds, counted] = [0, this.counts[0]!];
    while (counted < rank) counted += this.counts[++seconds]!;
    return seconds;
  }
}
