import type { MigrationInterface } from 'typeorm';
import { CreateTables1796000000000 } from './1796000000000-create-tables';

export const migrations: (new () => MigrationInterface)[] = [CreateTables1796000000000];
