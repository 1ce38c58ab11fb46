import { Log } from '../ground/log';
import { DayClock } from '../ground/time/day-clock';
import { DAY_MS } from '../ground/time/days';
import type { Database } from './database';
import type { Dialect } from './dialect';
import type { Moments } from './retention-rules';
import type { Transaction } from './rows';
import type { HitSettings } from './hit-settings';

/** A longer time between two runs must be confirmed by an operator. */
const MAX_JUMP_MS = 7 * DAY_MS;

const CLOCK = 'clock';

/** Tells whether an operator must confirm a run after one at an earlier moment. */
export function isLongAgo(last: number, now: number): boolean {
  return now - last > MAX_JUMP_MS;
}

/**
 * The clock for permanent removal: the database's, shared by all processes. If it is far ahead of the last run, it may
 * be wrong; statistics and hits are then kept as of that run. A service that was off for long looks the same, so an
 * operator decides.
 */
export class RetentionClock {
  private readonly logger = new Log('Retention');
  private readonly clock: DayClock;
  private lastLook: { moment: number; at: number } | undefined;
  private hasWarned = false;

  constructor(
    private readonly database: Database,
    private readonly settings: HitSettings,
  ) {
    this.clock = new DayClock(settings.timezone);
  }

  /** The current moments, without starting a run. */
  async moments(now?: number): Promise<Moments> {
    const moment = now ?? (await this.database.now());
    const last = await this.lastRun();
    return this.momentsOf(moment, this.isJump(moment, last) ? last! : moment);
  }

  /** Today, and the first day whose statistics are kept. */
  async calendar(): Promise<{ today: number; statsFrom: number }> {
    const { now, trusted } = await this.moments();
    const { statsDays } = this.settings;
    const statsFrom = statsDays === undefined ? 0 : this.clock.dayOf(trusted) - statsDays;
    return { today: this.clock.dayOf(now), statsFrom };
  }

  /** Starts a run and records it as the last one, unless the clock jumped. */
  async begin(now?: number): Promise<Moments> {
    const moments = await this.moments(now);
    const isHeld = moments.trusted !== moments.now;
    if (!isHeld) {
      await this.store(moments.now);
      this.lastLook = { moment: moments.now, at: performance.now() };
    }
    if (isHeld && !this.hasWarned) this.logger.warn(this.wordingOf(moments));
    this.hasWarned = isHeld;
    return moments;
  }

  /** Accepts the clock as right. */
  async confirm(): Promise<number> {
    const now = await this.database.now();
    await this.store(now);
    return now;
  }

  /** A warning while the clock is not trusted. */
  async warning(): Promise<string | undefined> {
    const moments = await this.moments();
    return moments.trusted === moments.now ? undefined : this.wordingOf(moments);
  }

  private wordingOf({ now, trusted }: Moments): string {
    const days = Math.floor((now - trusted) / DAY_MS);
    return (
      `The database's clock is ${days} days after the last run of retention. Statistics and hits are kept as of ` +
      `${new Date(trusted).toISOString()} until "retention confirm" says that the clock is right.`
    );
  }

  /** Time that this process saw pass is no jump, even if the database was unreachable for long. */
  private isJump(now: number, last: number | undefined): boolean {
    if (last === undefined) return false;
    const look = this.lastLook;
    const explained = look ? Math.max(last, look.moment + performance.now() - look.at) : last;
    return isLongAgo(explained, now);
  }

  private async lastRun(): Promise<number | undefined> {
    const rows = await this.database.read((manager) =>
      manager.query<{ done_before: number }[]>('SELECT done_before FROM retention WHERE name = ?', [CLOCK]),
    );
    return rows[0] && Number(rows[0].done_before);
  }

  private async store(moment: number): Promise<void> {
    await this.database.write((manager) => storeDone(manager, this.database.dialect, CLOCK, moment));
  }

  private momentsOf(now: number, trusted: number): Moments {
    const { clock, settings } = this;
    return {
      now,
      trusted,
      settings,
      dayOf: (moment) => clock.dayOf(moment),
      endOf: (day) => clock.endOf(day),
    };
  }
}

/** Stores how far a rule has been applied. */
export async function storeDone(
  manager: Transaction,
  { insertIfMissing }: Dialect,
  name: string,
  doneBefore: number,
): Promise<void> {
  await manager.query(`${insertIfMissing} retention (name, done_before) VALUES (?, ?)`, [name, doneBefore]);
  await manager.query('UPDATE retention SET done_before = ? WHERE name = ?', [doneBefore, name]);
}
