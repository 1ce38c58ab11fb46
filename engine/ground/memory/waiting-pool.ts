import { POOL_BYTES } from './memory-budget';
import type { PoolName } from './memory-limits';

const LOOK_EVERY_MS = 50;

/** Memory shared by concurrent work. Work that does not fit waits in turn until other work ends. */
export class WaitingPool {
  private taken = 0;
  private readonly waiting: symbol[] = [];
  private readonly wakeUps = new Set<() => void>();

  constructor(
    private readonly pool: PoolName,
    private readonly maxBytes: number,
  ) {}

  /**
   * Runs work that takes some bytes beside other work. Work larger than the whole pool runs alone. Undefined if `goOn`
   * returns false before the bytes are free.
   */
  async takeDuring<T>(
    bytes: number,
    goOn: () => Promise<boolean>,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const own = Math.min(bytes, this.maxBytes);
    if (!(await this.take(own, goOn))) return undefined;
    try {
      return await work();
    } finally {
      this.count(-own);
    }
  }

  /** Runs work within `takeDuring` that takes other bytes instead. */
  async replaceDuring<T>(
    bytes: number,
    other: number,
    goOn: () => Promise<boolean>,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    this.count(-bytes);
    try {
      return await this.takeDuring(other, goOn, work);
    } finally {
      this.count(bytes);
    }
  }

  private async take(bytes: number, goOn: () => Promise<boolean>): Promise<boolean> {
    const ticket = Symbol('one who waits');
    this.waiting.push(ticket);
    try {
      while (this.waiting[0] !== ticket || this.taken + bytes > this.maxBytes) {
        if (!(await goOn())) return false;
        await this.changed();
      }
      this.count(bytes);
      return true;
    } finally {
      this.waiting.splice(this.waiting.indexOf(ticket), 1);
      this.wakeAll();
    }
  }

  private count(bytes: number): void {
    this.taken += bytes;
    POOL_BYTES.add(bytes, this.pool);
    if (bytes < 0) this.wakeAll();
  }

  /** Ends after a while even without a change, so that who waits asks whether to go on. */
  private changed(): Promise<void> {
    return new Promise((resolve) => {
      const wakeUp = () => {
        clearTimeout(timer);
        this.wakeUps.delete(wakeUp);
        resolve();
      };
      const timer = setTimeout(wakeUp, LOOK_EVERY_MS);
      this.wakeUps.add(wakeUp);
    });
  }

  private wakeAll(): void {
    for (const wakeUp of this.wakeUps) wakeUp();
  }
}
