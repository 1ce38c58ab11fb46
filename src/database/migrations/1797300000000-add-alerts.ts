import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';
import { alertsTables } from './tables/alerts';

/** Alerts, when they fired, and the mails about it. */
export class AddAlerts1797300000000 implements MigrationInterface {
  name = 'AddAlerts1797300000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of alertsTables(dialectOf(runner.dataSource))) await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['alert_mails', 'alert_recipients', 'alert_firings', 'alerts'])
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
  }
}
