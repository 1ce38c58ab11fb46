import { setImmediate } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../engine/database/database';
import { TablesDoNotFit } from '../../engine/database/errors';
import { Gauge } from '../../engine/ground/measures';
import { CLOCKS_DIFFER_MS } from '../../engine/ground/time/clock-from';
import { HitStore, type Warning } from '../../engine/port';
import { findMissingInTables } from '../database/schema';
import { InboxHealth } from '../intake/inbox/inbox-health';
import { Housekeeping } from '../retention/housekeeping';

const READY = new Gauge('ready', '1 if the service could work at the last look, otherwise 0.');
const WARNINGS = new Gauge('warnings', 'What the operator should know, as /health/ready says it.', ['code']);

/** Tells whether the service can work, and what its operator should know. */
@Injectable()
export class Readiness {
  private readonly logger = new Logger('Health');
  private looking: Promise<Warning[]> | undefined;
  private missing: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly store: HitStore,
    private readonly inbox: InboxHealth,
    private readonly housekeeping: Housekeeping,
  ) {}

  /** Concurrent callers share one answer, because anybody may call it as often as they like. */
  warnings(): Promise<Warning[]> {
    this.looking ??= this.measured().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async measured(): Promise<Warning[]> {
    let warnings: Warning[] | undefined;
    try {
      return (warnings = await this.look());
    } finally {
      READY.set(warnings ? 1 : 0);
      WARNINGS.forget();
      for (const { code } of warnings ?? []) WARNINGS.add(1, code);
    }
  }

  private async look(): Promise<Warning[]> {
    // On SQLite, the rest ends within one turn of the event loop.
    await setImmediate();
    this.inbox.check();
    await this.checkTables();
    return [
      ...(await this.housekeeping.warnings()),
      ...(await this.store.warnings()),
      ...(await this.clockWarnings()),
    ];
  }

  private async checkTables(): Promise<void> {
    const { dialect } = this.database;
    const missing = await this.database.readQuick((manager) => findMissingInTables(manager, dialect));
    if (missing !== undefined && missing !== this.missing)
      this.logger.error(`the tables of the database do not match this release: ${missing}`);
    this.missing = missing;
    if (missing !== undefined) throw new TablesDoNotFit();
  }

  /** The day of an event depends on the clock of the process that accepts it. */
  private async clockWarnings(): Promise<Warning[]> {
    const ahead = Date.now() - (await this.database.now());
    if (Math.abs(ahead) < CLOCKS_DIFFER_MS) return [];
    const seconds = Math.round(Math.abs(ahead) / 1000).toLocaleString('en');
    const detail = `The clock of this process is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's.`;
    return [{ code: 'clocks_differ', detail }];
  }
}
