import { Settings } from './src/config/settings';
import { ComparedTables } from './src/database/compared-tables';
import { dataSourceFor } from './src/database/connect';
import { ENTITIES } from './src/entities';

process.umask(0o077);

export default dataSourceFor(new Settings(process.env).database, ENTITIES, ComparedTables);
