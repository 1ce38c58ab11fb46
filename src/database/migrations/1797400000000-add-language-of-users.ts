import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../../../engine/database/dialect';

/** The language of mails to a user. Mails were in English before. */
export class AddLanguageOfUsers1797400000000 implements MigrationInterface {
  name = 'AddLanguageOfUsers1797400000000';

  async up(runner: QueryRunner): Promise<void> {
    const { columns } = dialectOf(runner.dataSource);
    if (await runner.hasColumn('users', 'language')) return;
    await runner.query(`ALTER TABLE users ADD COLUMN language ${columns.text(16)} NOT NULL DEFAULT 'en'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN language');
  }
}
