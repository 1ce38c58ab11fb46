/** Memory shared by concurrent work: work that does not fit waits until other work ends. */
export class ByteRoom {
  private taken = 0;
  private readonly waiting: { bytes: number; start: () => void }[] = [];

  constructor(private readonly maxBytes: number) {}

  /** Runs work that takes this many bytes beside other work. Work larger than the whole room runs alone. */
  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const own = Math.min(bytes, this.maxBytes);
    if (!this.fits(own)) await new Promise<void>((start) => this.waiting.push({ bytes: own, start }));
    else this.taken += own;
    try {
      return await work();
    } finally {
      this.taken -= own;
      this.startWaiting();
    }
  }

  private fits(bytes: number): boolean {
    return this.taken + bytes <= this.maxBytes;
  }

  /** Small work may overtake large work that waits. */
  private startWaiting(): void {
    for (const own of [...this.waiting]) {
      if (!this.fits(own.bytes)) continue;
      this.waiting.splice(this.waiting.indexOf(own), 1);
      this.taken += own.bytes;
      own.start();
    }
  }
}
