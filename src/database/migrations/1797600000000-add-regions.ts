import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** Regions, which are found in the cities of hits, and so are as old as these. */
export class AddRegions1797600000000 implements MigrationInterface {
  name = 'AddRegions1797600000000';

  async up(runner: QueryRunner): Promise<void> {
    const { insertIfMissing } = dialectOf(runner.dataSource);
    await runner.query(
      `${insertIfMissing} collected_names (name, since) SELECT ?, known.since FROM collected_names known WHERE known.name = 'city'`,
      ['region'],
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM collected_names WHERE name = 'region'");
  }
}
