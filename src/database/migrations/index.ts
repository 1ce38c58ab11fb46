import { CreateTables1795132800000 } from './1795132800000-create-tables';
import { CountEvents1795136400000 } from './1795136400000-count-events';
import { PackClosedDays1795305600000 } from './1795305600000-pack-closed-days';

export const migrations = [CreateTables1795132800000, CountEvents1795136400000, PackClosedDays1795305600000];
