import { hasSources } from '../../engine/ground/threads/built-file';

/** How commands begin in this installation. */
export const COMMAND_LINE = hasSources ? 'npm run -s cli --' : 'milepost';
