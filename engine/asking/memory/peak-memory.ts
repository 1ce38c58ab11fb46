/** The memory of work that is done in steps: it takes as much of a pool as the largest step needs. */
export class PeakMemory {
  private lastingBytes = 0;

  constructor(
    /** Throws if too little of the pool is left. */
    private readonly take: (bytes: number) => void = () => undefined,
    /** The first bytes are not taken. */
    private takenBytes = 0,
  ) {}

  /** Other work begins. What the last one retained is free. */
  begin(): void {
    this.lastingBytes = 0;
  }

  /** Takes memory for the current step, instead of that of the step before. */
  reserve(bytes: number): void {
    const missing = this.lastingBytes + bytes - this.takenBytes;
    if (missing <= 0) return;
    this.take(missing);
    this.takenBytes += missing;
  }

  /** Takes memory that the current step and all later ones need in addition. */
  retain(bytes: number): void {
    this.lastingBytes += bytes;
    this.reserve(0);
  }
}
