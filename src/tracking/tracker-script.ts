import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { builtFile } from '../common/threads/built-file';

interface TrackerScript {
  text: string;
  etag: string;
}

/** What `src/tracker` was built into. */
export function readTrackerScript(): TrackerScript {
  const text = readFileSync(builtFile('tracker.js'), 'utf8');
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
