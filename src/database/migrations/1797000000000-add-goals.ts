import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';
import { goalsTables } from './tables/goals';

/** Goals, saved filters and funnels. Goals are found in the hits of every day, so they are as old as the first names. */
export class AddGoals1797000000000 implements MigrationInterface {
  name = 'AddGoals1797000000000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    for (const table of goalsTables(dialect)) await runner.query(table);
    await runner.query(
      `${dialect.insertIfMissing} collected_names (name, since) SELECT ?, MIN(known.since) FROM collected_names known`,
      ['goal'],
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM collected_names WHERE name = 'goal'");
    for (const table of ['funnels', 'saved_filters', 'goals'])
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
