import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Work } from './connections';
import type { Database } from '../database';
import type { Transaction } from '../rows';

interface Waiting {
  work: Work<void>;
  weight: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

type Outcome = { error?: unknown };

/**
 * Writes that share a transaction and its commit, once all members are ready to write. Each write is atomic by itself,
 * through a savepoint.
 */
export class WriteGroup {
  private waiting: Waiting[] = [];
  private members = 0;
  private isRunning = false;

  /** A transaction takes writes up to this total weight, but at least one. */
  constructor(
    private readonly database: Database,
    private readonly maxWeight: number,
  ) {}

  /** While a member prepares a write, the others wait for it. */
  async join<T>(member: () => Promise<T>): Promise<T> {
    this.members++;
    try {
      return await member();
    } finally {
      this.members--;
      this.commitIfReady();
    }
  }

  write(work: Work<void>, weight: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ work, weight, resolve, reject });
      this.commitIfReady();
    });
  }

  private commitIfReady(): void {
    if (!this.isRunning && this.isReady()) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.isReady()) await this.commit(this.takeSome());
    this.isRunning = false;
  }

  private isReady(): boolean {
    if (this.waiting.length === 0) return false;
    const weight = this.waiting.reduce((sum, one) => sum + one.weight, 0);
    return this.waiting.length >= this.members || weight >= this.maxWeight;
  }

  private takeSome(): Waiting[] {
    let weight = 0;
    const end = this.waiting.findIndex((one) => (weight += one.weight) > this.maxWeight);
    return this.waiting.splice(0, end < 0 ? this.waiting.length : Math.max(1, end));
  }

  private async commit(group: Waiting[]): Promise<void> {
    try {
      const outcomes = await this.database.write((manager) => outcomesOf(manager, group));
      group.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index]!;
        if ('error' in outcome) reject(outcome.error);
        else resolve();
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

async function outcomesOf(manager: Transaction, group: Waiting[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { work } of group) {
    outcomes.push(await outcomeOf(manager, work));
    await yieldIfNeeded();
  }
  return outcomes;
}

async function outcomeOf(manager: Transaction, work: Work<void>): Promise<Outcome> {
  await manager.query('SAVEPOINT one_write');
  const outcome = await work(manager).then(
    () => ({}),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome)
    // After errors of the disk or of memory, SQLite has rolled back the whole transaction.
    await manager.query('ROLLBACK TO SAVEPOINT one_write').catch(() => {
      throw outcome.error;
    });
  await manager.query('RELEASE SAVEPOINT one_write');
  return outcome;
}
