import { ApiKey } from './src/auth/api-key.entity';
import { Settings } from './src/config/settings';
import { dataSourceFor } from './src/database/connect';
import { User } from './src/users/user.entity';
import { Website } from './src/websites/website.entity';

process.umask(0o077);

export default dataSourceFor(new Settings(process.env).database, [User, ApiKey, Website]);
