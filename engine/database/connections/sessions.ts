import type { DataSource, EntityManager } from 'typeorm';
import type { Queryable } from '../rows';
import { giveUp } from './drivers';

/** A connection while a transaction uses it. */
export interface Session<Manager extends Queryable> {
  readonly manager: Manager;
  release(): unknown;
  /** A connection that did not answer must not return to its pool. */
  destroy(): void;
}

/** The source of connections. */
export interface Sessions<Manager extends Queryable> {
  take(): Promise<Session<Manager>>;
}

/** Connections of a data source, for work that uses entities. */
export class EntitySessions implements Sessions<EntityManager> {
  constructor(private readonly source: DataSource) {}

  async take(): Promise<Session<EntityManager>> {
    const runner = this.source.createQueryRunner();
    const connection = (await runner.connect()) as { destroy(): void };
    return {
      manager: runner.manager,
      release: () => runner.release(),
      destroy: () => {
        giveUp(connection);
        void runner.release();
      },
    };
  }
}
