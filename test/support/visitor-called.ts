import { createHash } from 'node:crypto';
import { VISITOR_BYTES } from '../../engine/ground/visitor-bytes';

/** The hash of a visitor that a test identifies by a name. */
export function visitorCalled(name: string | number): string {
  return createHash('sha256').update(String(name)).digest().toString('base64url', 0, VISITOR_BYTES);
}
