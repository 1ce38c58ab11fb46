import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** The ids of campaigns, which hits before this release do not have. */
export class AddCampaignIds1797970000000 implements MigrationInterface {
  name = 'AddCampaignIds1797970000000';

  async up(runner: QueryRunner): Promise<void> {
    const { insertIfMissing, now } = dialectOf(runner.dataSource);
    await runner.query(`${insertIfMissing} collected_names (name, since) SELECT ?, ${now}`, ['campaign_id']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM collected_names WHERE name = 'campaign_id'");
  }
}
