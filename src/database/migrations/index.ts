import { CreateTables1795132800000 } from './1795132800000-create-tables';

export const migrations = [CreateTables1795132800000];
