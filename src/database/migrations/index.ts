import { CreateTables1795132800000 } from './1795132800000-create-tables';
import { CountEvents1795136400000 } from './1795136400000-count-events';

export const migrations = [CreateTables1795132800000, CountEvents1795136400000];
