import { randomBytes } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DayClock } from '../../engine/ground/time/day-clock';
import { SALT_OUTLIVES_DAY_MS } from '../../engine/hits/rules/salt-lifetime';
import { Settings } from '../config/settings';
import { Database } from '../../engine/database/database';
import { decrypt, encrypt, Secret } from '../database/secret';

const SALT_BYTES = 32;
const MAX_CACHED = 3;
const SWEEP_EVERY_MS = 60_000;

/**
 * The random salt of each day in its zone, encrypted in its table. All processes use the first one stored, and hold it
 * in memory only as long as the table has it.
 */
@Injectable()
export class Salts implements BeforeApplicationShutdown {
  private readonly known = new Map<number, Buffer>();
  private readonly loading = new Map<number, Promise<Buffer>>();
  private readonly key: Buffer;
  private readonly zone: string;
  private readonly clock: DayClock;
  private sweeping: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    secret: Secret,
    { timezone }: Settings,
  ) {
    this.key = secret.key('salts');
    this.zone = timezone;
    this.clock = new DayClock(timezone);
  }

  /** The cached salt of a day. */
  cached(day: number): Buffer | undefined {
    return this.known.get(day);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.sweeping);
  }

  /** After midnight, all events that arrive at the same time share one look. */
  async of(day: number): Promise<Buffer> {
    const known = this.known.get(day);
    if (known) return known;
    let loading = this.loading.get(day);
    if (!loading) {
      loading = this.load(day).finally(() => this.loading.delete(day));
      this.loading.set(day, loading);
    }
    return loading;
  }

  private async load(day: number): Promise<Buffer> {
    const salt = decrypt(this.key, await this.readStored(day), this.contextOf(day));
    this.known.set(day, salt);
    this.sweeping ??= setInterval(() => this.forgetExpired(), SWEEP_EVERY_MS).unref();
    for (const old of [...this.known.keys()].sort((one, other) => one - other).slice(0, -MAX_CACHED))
      this.known.delete(old);
    return salt;
  }

  private forgetExpired(): void {
    const first = this.clock.dayOf(Date.now() - SALT_OUTLIVES_DAY_MS);
    for (const day of this.known.keys()) if (day < first) this.known.delete(day);
  }

  private readStored(day: number): Promise<Buffer> {
    const { insertIfMissing } = this.database.dialect;
    const proposed = encrypt(this.key, randomBytes(SALT_BYTES), this.contextOf(day));
    const key = [day, this.zone];
    return this.database.writeForEvents(async (manager) => {
      await manager.query(`${insertIfMissing} salts (day, zone, salt) VALUES (?, ?, ?)`, [...key, proposed]);
      const [row] = await manager.query<{ salt: Buffer }[]>(
        'SELECT salt FROM salts WHERE day = ? AND zone = ?',
        key,
      );
      return row!.salt;
    });
  }

  /** Binds a salt's encryption to its day. */
  private contextOf(day: number): string {
    return `${this.zone} ${day}`;
  }
}
