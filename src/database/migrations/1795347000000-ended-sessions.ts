import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../dialect';

/** The sessions of the console that somebody signed out of. */
export class EndedSessions1795347000000 implements MigrationInterface {
  name = 'EndedSessions1795347000000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    const { bigint, bytes } = dialect.columns;
    await runner.query(`CREATE TABLE IF NOT EXISTS ended_sessions (
      session ${bytes(16)} NOT NULL PRIMARY KEY,
      ends_at ${bigint} NOT NULL,
      CONSTRAINT ended_sessions_by_age UNIQUE (ends_at, session)
    ) ${dialect.tableOptions('clustered')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS ended_sessions');
  }
}
