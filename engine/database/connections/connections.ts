import { AsyncLocalStorage } from 'node:async_hooks';
import { Durations, Gauge } from '../../ground/measures';
import { Mutex, type Semaphore } from '../../ground/threads/mutex';
import { TimeoutError, withTimeout } from '../../ground/time/timeout';
import type { Dialect } from '../dialect';
import type { Queryable, Transaction } from '../rows';
import { endsConnection } from './error-meaning';
import type { Probe } from './probe';
import type { Session, Sessions } from './sessions';

export type Work<T, Manager extends Queryable = Transaction> = (manager: Manager) => Promise<T>;

const FIRST_ANSWER_MS = 1500;

export type Use = 'read' | 'write';

const WAITS = new Durations(
  'database_wait_seconds',
  'How long work waited for a connection, or on SQLite for its turn.',
  ['use'],
);
const WAITING = new Gauge(
  'database_waiting',
  'Work that waits for a connection, or on SQLite for its turn.',
  ['use'],
);
const BUSY = new Gauge('database_connections_busy', 'Connections to the database that work uses.', ['use']);

/** Counts work until it has a connection. */
export async function waitFor<T>(use: Use, taking: Promise<T>): Promise<T> {
  WAITING.add(1, use);
  try {
    return await WAITS.during(() => taking, use);
  } finally {
    WAITING.add(-1, use);
  }
}

export function noteBusy(connections: 1 | -1, use: Use): void {
  BUSY.add(connections, use);
}

interface Turn {
  of: object;
  isOpen: boolean;
  within: Turn | undefined;
}

/** Shared by all connections: Node.js 20 walks through all such stores for each promise of the process. */
const lastTurn = new AsyncLocalStorage<Turn>();

/** Work left behind by a turn may take turns of its own once that one is over. */
function openTurn(turn: Turn | undefined): Turn | undefined {
  while (turn && !turn.isOpen) turn = turn.within;
  return turn;
}

/**
 * Connections of one purpose, and how transactions run on them. A pool has several, and destroys one that does not
 * answer in time. SQLite in this process has one, with a queue of transactions; it is synchronous, so a timeout could
 * not interrupt it.
 */
export class Connections<Manager extends Queryable = Transaction> {
  private readonly turns = new Mutex();

  constructor(
    private readonly sessions: Sessions<Manager>,
    private readonly kind: 'pool' | 'one in this process',
    private readonly dialect: Dialect,
    private readonly use: Use,
    private readonly probe?: Probe,
  ) {}

  /** Runs the work in one snapshot. The result is valid even if the COMMIT fails, so a pool does not await it. */
  read<T>(work: Work<T, Manager>, deadline: number): Promise<T> {
    return this.inTurn(() =>
      this.retryOnAnother(async () => {
        const session = await this.open(this.dialect.beginRead, deadline - performance.now(), deadline);
        const result = await this.guard(session, () => this.withDeadline(deadline, work(session.manager)));
        const ended = this.commit(session, performance.now() + FIRST_ANSWER_MS).catch(() => undefined);
        if (this.kind !== 'pool') await ended;
        return result;
      }),
    );
  }

  /** Runs the work in one transaction, in one of some places if there are any. */
  write<T>(work: Work<T, Manager>, deadline: number, places?: Semaphore): Promise<T> {
    return this.inTurn(async () => {
      const patienceMs = Math.min(FIRST_ANSWER_MS, deadline - performance.now());
      const leave = places && (await this.patiently(places.take(), patienceMs, deadline, (late) => late()));
      try {
        return await this.transaction(work, deadline);
      } finally {
        leave?.();
      }
    });
  }

  /** Runs one statement outside of any transaction. */
  query<T>(sql: string, parameters: unknown[], deadline: number): Promise<T> {
    return this.inTurn(() =>
      this.retryOnAnother(async () => {
        const session = await this.open([], FIRST_ANSWER_MS, deadline);
        const rows = await this.guard(session, () =>
          this.withDeadline(deadline, session.manager.query<T>(sql, parameters)),
        );
        await this.release(session);
        return rows;
      }),
    );
  }

  /** On a single connection, a nested transaction would wait for itself forever. */
  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.kind === 'pool') return run();
    const within = openTurn(lastTurn.getStore());
    for (let turn = within; turn; turn = openTurn(turn.within))
      if (turn.of === this)
        throw new Error('a transaction must not open another one: pass its manager on instead');
    let begin: () => void = () => undefined;
    void waitFor(this.use, new Promise<void>((resolve) => (begin = resolve)));
    return this.turns.run(() => {
      begin();
      const turn = { of: this, isOpen: true, within };
      return lastTurn.run(turn, run).finally(() => (turn.isOpen = false));
    });
  }

  private async transaction<T>(work: Work<T, Manager>, deadline: number): Promise<T> {
    const session = await this.retryOnAnother(() =>
      this.open(this.dialect.beginWrite, Math.min(FIRST_ANSWER_MS, deadline - performance.now()), deadline),
    );
    const result = await this.guard(session, () => this.withDeadline(deadline, work(session.manager)));
    await this.commit(session, deadline);
    return result;
  }

  private async commit(session: Session<Manager>, deadline: number): Promise<void> {
    await this.guard(session, () => this.withDeadline(deadline, session.manager.query('COMMIT')));
    await this.release(session);
  }

  private withDeadline<T>(deadline: number, work: Promise<T>): Promise<T> {
    return this.kind === 'pool' ? withTimeout(deadline - performance.now(), work) : work;
  }

  private async open(begin: string[], patienceMs: number, deadline: number): Promise<Session<Manager>> {
    const taking = this.patiently(this.sessions.take(), patienceMs, deadline, (late) => late.release());
    const session = await (this.kind === 'pool' ? waitFor(this.use, taking) : taking);
    noteBusy(1, this.use);
    for (const statement of begin)
      await this.guard(session, () => withTimeout(patienceMs, session.manager.query(statement)));
    return session;
  }

  /** Waits longer if the server answers: all connections of the pool may be waiting for locks. */
  private async patiently<T>(
    taking: Promise<T>,
    patienceMs: number,
    deadline: number,
    giveBack: (late: T) => unknown,
  ): Promise<T> {
    const long = async () => {
      try {
        return await withTimeout(patienceMs, taking);
      } catch (error) {
        const mayWait =
          error instanceof TimeoutError && performance.now() < deadline && (await this.probe?.isAnswering());
        if (!mayWait) throw error;
        return taking;
      }
    };
    try {
      return await withTimeout(deadline - performance.now(), long());
    } catch (error) {
      taking.then(giveBack, () => undefined);
      throw error;
    }
  }

  /** A pooled connection may have died unnoticed. Another one is tried if nothing was written yet. */
  private async retryOnAnother<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.dialect.meaningOf(error) === 'lost') return work();
      throw error;
    }
  }

  private async guard<T>(session: Session<Manager>, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const keeps = this.kind !== 'pool' || !endsConnection(this.dialect.meaningOf(error));
      const rolledBack = keeps && (await rollBack(session));
      if (rolledBack || this.kind !== 'pool') await this.release(session);
      else {
        noteBusy(-1, this.use);
        session.destroy();
      }
      throw error;
    }
  }

  private release(session: Session<Manager>): unknown {
    noteBusy(-1, this.use);
    return session.release();
  }
}

function rollBack({ manager }: Session<Queryable>): Promise<boolean> {
  return withTimeout(FIRST_ANSWER_MS, manager.query('ROLLBACK')).then(
    () => true,
    () => false,
  );
}
