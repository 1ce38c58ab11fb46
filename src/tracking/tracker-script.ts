import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The tests run the sources, which stand beside the build and not in it. */
const BUILD = __filename.endsWith('.ts') ? '../../dist' : '../..';

export interface TrackerScript {
  text: string;
  etag: string;
}

/** What `src/tracker` was built into. */
export function readTrackerScript(): TrackerScript {
  const text = readFileSync(join(__dirname, BUILD, 'tracker.js'), 'utf8');
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
