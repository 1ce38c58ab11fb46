const WIDTH = 30;

/** Shows progress on standard error: a bar on a terminal, elsewhere a line per tenth. */
export class Progress {
  private done = 0;
  private shown = -1;

  constructor(
    private readonly title: string,
    private readonly total: number,
  ) {
    this.show();
  }

  advance(steps: number): void {
    this.done += steps;
    this.show();
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\n');
  }

  private show(): void {
    const share = this.total === 0 ? 1 : Math.min(1, this.done / this.total);
    const step = Math.floor(share * (process.stderr.isTTY ? 100 : 10));
    if (step === this.shown) return;
    this.shown = step;
    const numbers = `${this.done.toLocaleString('en')} of ${this.total.toLocaleString('en')}`;
    process.stderr.write(process.stderr.isTTY ? this.bar(share, numbers) : `${this.title}: ${numbers}\n`);
  }

  private bar(share: number, numbers: string): string {
    const filled = Math.round(share * WIDTH);
    return `\r${this.title} [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${numbers}`;
  }
}
